/* One user's scores -> where the relevant items landed, written once and compiled for each kernel type.
 * The including file defines T, the kernel type. */

#define FN_(name, type) name##_##type
#define FN__(name, type) FN_(name, type)
#define FN(name) FN__(name, T)
#define TYPE FN__(rm, T)

/* ---- reading ---- */

/* A tile of the row: in place where the array allows, else converted into the scratch. */
static const TYPE *FN(tile)(const rm_ranker *r, rm_rank_scratch *s, const char *row, int64_t start, int64_t n)
{
    if (r->in_place)
        return (const TYPE *)row + start;
    FN(rm_load)(&r->input->scores, row, start, n, (TYPE *)s->tile);
    return (const TYPE *)s->tile;
}

static void FN(gather)(const rm_ranker *r, const char *row, const int32_t *items, int64_t n, TYPE *out)
{
    int64_t i;
    if (r->in_place)
        for (i = 0; i < n; i++)
            out[i] = ((const TYPE *)row)[items[i]];
    else
        for (i = 0; i < n; i++)
            FN(rm_load)(&r->input->scores, row, items[i], 1, &out[i]);
}

/* ---- one user's entries, sorted by score descending ---- */

typedef struct {
    TYPE *score;
    double *grade;
    int32_t *item; /* needed only where an order settles ties */
    int64_t n;
    const int64_t *keys; /* this user's, or NULL: input order */
} FN(user);

/* Whether candidate a stands before candidate b of the same score. */
static inline int FN(leads)(const FN(user) *u, int32_t a, int32_t b)
{
    if (u->keys && u->keys[a] != u->keys[b])
        return u->keys[a] > u->keys[b];
    return a < b;
}

static inline int FN(entry_before)(const FN(user) *u, int64_t i, int64_t j)
{
    if (u->score[i] != u->score[j])
        return u->score[i] > u->score[j];
    return u->item ? FN(leads)(u, u->item[i], u->item[j]) : u->grade[i] > u->grade[j];
}

static inline void FN(entry_swap)(FN(user) *u, int64_t i, int64_t j)
{
    TYPE score = u->score[i];
    double grade = u->grade[i];
    u->score[i] = u->score[j];
    u->score[j] = score;
    u->grade[i] = u->grade[j];
    u->grade[j] = grade;
    if (u->item) {
        int32_t item = u->item[i];
        u->item[i] = u->item[j];
        u->item[j] = item;
    }
}

#define SORT_NAME FN(sort_many)
#define SORT_CONTEXT FN(user)
#define BEFORE(c, i, j) FN(entry_before)(c, i, j)
#define SWAP(c, i, j) FN(entry_swap)(c, i, j)
#include "sort.h"

/* A few entries are placed by comparing all pairs, which has no branch to mispredict. */
static void FN(sort_few)(FN(user) *u)
{
    TYPE score[FEW];
    double grade[FEW];
    int place[FEW] = {0}, n = (int)u->n, i, j;
    for (i = 0; i < n; i++) {
        score[i] = u->score[i];
        grade[i] = u->grade[i];
        for (j = 0; j < i; j++) {
            int later = (score[i] > score[j]) | ((score[i] == score[j]) & (grade[i] > grade[j]));
            place[i] += !later;
            place[j] += later;
        }
    }
    for (i = 0; i < n; i++) {
        u->score[place[i]] = score[i];
        u->grade[place[i]] = grade[i];
    }
}

/* Some more are placed by the counting kernel: without ties, what is above an entry is its place. */
static int FN(sort_some)(const rm_ranker *r, FN(user) *u)
{
    TYPE score[SOME];
    double grade[SOME];
    int32_t above[SOME] = {0}, at_least[SOME] = {0};
    int64_t n = u->n, i;
    r->run->kernels->FN(count)(u->score, n, u->score, n, 1, above, at_least);
    for (i = 0; i < n; i++)
        if (at_least[i] - above[i] != 1)
            return 0;
    memcpy(score, u->score, (size_t)n * sizeof *score);
    memcpy(grade, u->grade, (size_t)n * sizeof *grade);
    for (i = 0; i < n; i++) {
        u->score[above[i]] = score[i];
        u->grade[above[i]] = grade[i];
    }
    return 1;
}

static void FN(sort_entries)(const rm_ranker *r, FN(user) *u)
{
    if (u->item || u->n > SOME)
        FN(sort_many)(u, 0, u->n);
    else if (u->n <= FEW)
        FN(sort_few)(u);
    else if (!FN(sort_some)(r, u))
        FN(sort_many)(u, 0, u->n);
}

/* ---- counting by binary search ---- */

/* The first entry whose score is not above v. */
static inline int64_t FN(bucket)(const TYPE *score, int64_t n, TYPE v)
{
    int64_t low = 0;
    while (n > 1) {
        int64_t half = n / 2;
        low += score[low + half - 1] > v ? half : 0;
        n -= half;
    }
    return low + (n == 1 && score[low] > v);
}

/* The first entry, from `low` on, that stands after candidate `item` of score v in the settled order. */
static int64_t FN(successor)(const FN(user) *u, int64_t low, TYPE v, int32_t item)
{
    int64_t high = u->n;
    while (low < high) {
        int64_t middle = low + (high - low) / 2;
        if (u->score[middle] == v && !FN(leads)(u, item, u->item[middle]))
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

/* Adds candidates to the bucket of the first entry they do not stand below; FN(unfold) sums the buckets. */
static void FN(search)(const FN(user) *u, const TYPE *x, int64_t n, const int32_t *items, int64_t start,
                       int32_t sign, rm_entries *e)
{
    int64_t j;
    for (j = 0; j < n; j++) {
        int64_t b = FN(bucket)(u->score, u->n, x[j]);
        if (b == u->n)
            continue;
        e->ahead[b] += sign;
        if (u->score[b] == x[j]) {
            e->tied[b] += sign;
            if (u->item)
                b = FN(successor)(u, b, x[j], items ? items[j] : (int32_t)(start + j));
        }
        if (u->item && b < u->n)
            e->position[b] += sign;
    }
}

static void FN(unfold)(const FN(user) *u, rm_entries *e)
{
    int64_t i, first = 0;
    int32_t at_least = 0, position = 0;
    for (i = 0; i < u->n; i++) {
        if (i == 0 || u->score[i] != u->score[i - 1]) {
            at_least += e->ahead[i];
            first = i;
        }
        e->tied[i] = e->tied[first];
        e->ahead[i] = at_least - e->tied[i];
        if (u->item)
            e->position[i] = position += e->position[i];
    }
}

/* ---- counting, whichever way ---- */

typedef struct {
    const rm_ranker *r;
    FN(user) user;
    rm_entries out;  /* this user's slice */
    int searching;
    TYPE bound;      /* min_score */
    int32_t above_bound, at_least_bound;
} FN(counter);

static void FN(count_tile)(FN(counter) *c, const TYPE *x, int64_t n, const int32_t *items, int64_t start,
                           int32_t sign)
{
    const rm_kernels *kernels = c->r->run->kernels;
    if (c->searching)
        FN(search)(&c->user, x, n, items, start, sign, &c->out);
    else
        kernels->FN(count)(x, n, c->user.score, c->user.n, sign, c->out.ahead, c->out.tied);
    if (c->r->input->has_min_score)
        kernels->FN(count)(x, n, &c->bound, 1, sign, &c->above_bound, &c->at_least_bound);
}

static rm_status FN(count_row)(FN(counter) *c, rm_rank_scratch *s, const char *row, int64_t user, int64_t n)
{
    int64_t start, j;
    for (start = 0; start < n; start += RM_TILE) {
        int64_t length = n - start < RM_TILE ? n - start : RM_TILE;
        const TYPE *x = FN(tile)(c->r, s, row, start, length);
        if (c->r->run->kernels->FN(has_nan)(x, length))
            for (j = 0; j < length; j++)
                if (x[j] != x[j])
                    return rm_fail(RM_NAN_SCORE, user, start + j, 0.0);
        FN(count_tile)(c, x, length, NULL, start, 1);
        if (interrupted_inside(c->r, start))
            return rm_fail(RM_INTERRUPTED, -1, -1, 0.0);
    }
    return rm_ok();
}

/* Takes the excluded candidates back out; *excluded counts them. */
static rm_status FN(count_excluded)(FN(counter) *c, const char *row, int64_t user, int64_t n, int64_t *excluded)
{
    rm_cursor cursor;
    int32_t items[256];
    TYPE x[256];
    rm_status status = rm_cursor_start(&cursor, &c->r->input->exclude, user, n, RM_EXCLUDE_RANGE);
    *excluded = 0;
    while (status.code == RM_OK && cursor.item != INT64_MAX) {
        int64_t length = 0;
        while (status.code == RM_OK && length < 256 && cursor.item != INT64_MAX) {
            items[length++] = (int32_t)cursor.item;
            status = rm_cursor_next(&cursor, user, n, RM_EXCLUDE_RANGE);
        }
        FN(gather)(c->r, row, items, length, x);
        FN(count_tile)(c, x, length, items, 0, -1);
        *excluded += length;
    }
    return status;
}

/* Entries below min_score are no candidates: they go last, by grade. Gives the number that stay. */
static int64_t FN(drop_below_bound)(FN(counter) *c)
{
    FN(user) *u = &c->user;
    grade_position dropped = {u->grade, NULL};
    int64_t kept = u->n, i;
    while (kept > 0 && u->score[kept - 1] < c->bound)
        kept--;
    for (i = kept; i < u->n; i++) {
        c->out.ahead[i] = RM_UNRANKED;
        c->out.tied[i] = 0;
        if (c->out.position)
            c->out.position[i] = RM_UNRANKED;
    }
    sort_tail(&dropped, kept, u->n);
    return kept;
}

/* The user's relevant items with their scores, best first; *n holds the room for them, then their number. */
static rm_status FN(collect)(FN(counter) *c, rm_rank_scratch *s, const char *row, int64_t user, int64_t n_items,
                             int64_t *n)
{
    const rm_input *input = c->r->input;
    int32_t *items = rm_reserve(&s->items, *n, sizeof *items);
    TYPE *scores = rm_reserve(&s->scores, *n, sizeof *scores);
    rm_status status;
    if (!items || !scores)
        return rm_fail(RM_NO_MEMORY, -1, -1, 0.0);
    status = rm_find_relevant(input, user, n_items, items, c->out.grade, n);
    if (status.code != RM_OK)
        return status;
    FN(gather)(c->r, row, items, *n, scores);
    c->user = (FN(user)){scores, c->out.grade, c->out.position ? items : NULL, *n, NULL};
    if (input->order == RM_ORDER_KEYS)
        c->user.keys = input->keys + (input->offsets ? input->offsets[user] : 0);
    FN(sort_entries)(c->r, &c->user);
    return status;
}

static void FN(finish)(FN(counter) *c, int64_t n, int64_t *candidates)
{
    int64_t kept = c->user.n, i;
    if (c->searching)
        FN(unfold)(&c->user, &c->out);
    else
        for (i = 0; i < kept; i++)
            c->out.tied[i] -= c->out.ahead[i];
    *candidates = n;
    if (c->r->input->has_min_score) {
        *candidates = c->at_least_bound;
        kept = FN(drop_below_bound)(c);
    }
    if (c->out.position)
        order_ties(&c->out, kept);
}

static rm_status FN(rank_user)(const rm_ranker *r, rm_rank_scratch *s, int64_t user, const rm_entries *out,
                               int64_t *n_entries, int64_t *candidates)
{
    const rm_input *input = r->input;
    const char *row = rm_row(&input->scores, input->offsets, user);
    int64_t n = rm_row_length(input, user), excluded = 0, i;
    FN(counter) c = {.r = r, .out = *out, .bound = FN(min_score)(input)};
    rm_status status = FN(collect)(&c, s, row, user, n, n_entries);

    if (status.code != RM_OK)
        return status;
    c.searching = c.out.position || c.user.n > r->run->kernels->crossover;
    for (i = 0; i < c.user.n; i++) {
        c.out.ahead[i] = c.out.tied[i] = 0;
        if (c.out.position)
            c.out.position[i] = 0;
    }
    status = FN(count_row)(&c, s, row, user, n);
    if (status.code == RM_OK && input->exclude.starts)
        status = FN(count_excluded)(&c, row, user, n, &excluded);
    if (status.code == RM_OK)
        FN(finish)(&c, n - excluded, candidates);
    return status;
}

#undef FN_
#undef FN__
#undef FN
#undef TYPE
#undef T
