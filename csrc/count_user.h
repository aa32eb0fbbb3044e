/* One user's relevant items against candidates, a tile at a time, for the kernel type T. A few entries are
 * compared with every candidate, and sorted by what was counted. More are sorted by score first, and each
 * candidate is searched for among them. */

/* ---- one user's entries, and their order by score descending ---- */

typedef struct {
    TYPE *score;
    double *grade;
    int32_t *item; /* NULL where no one asks which item an entry is */
    int64_t n;
    int settled; /* an order settles ties: by keys, larger first, or as they came */
    const int64_t *keys;
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
    return u->settled ? FN(leads)(u, u->item[i], u->item[j]) : u->grade[i] > u->grade[j];
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

#define SORT_NAME FN(sort_scores)
#define SORT_CONTEXT FN(user)
#define BEFORE(c, i, j) FN(entry_before)(c, i, j)
#define SWAP(c, i, j) FN(entry_swap)(c, i, j)
#include "sort.h"

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

/* Adds candidates to the bucket of the first entry they do not stand below; FN(unfold) sums the buckets.
 * Where a candidate falls cannot be predicted, so one below all entries adds nothing rather than branch. */
static void FN(search)(const FN(user) *u, const TYPE *x, int64_t n, int32_t sign, rm_entries *e)
{
    int64_t j;
    for (j = 0; j < n; j++) {
        int64_t b = FN(bucket)(u->score, u->n, x[j]);
        int is_below = b == u->n;
        b -= is_below;
        e->ahead[b] += is_below ? 0 : sign;
        e->tied[b] += u->score[b] == x[j] ? sign : 0;
    }
}

/* The same where an order settles ties: the items are given, or start, start + 1, ... */
static void
FN(search_settled)(const FN(user) *u, const TYPE *x, int64_t n, const int32_t *items, int64_t start,
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
            b = FN(successor)(u, b, x[j], items ? items[j] : (int32_t)(start + j));
        }
        if (b < u->n)
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
        if (u->settled)
            e->position[i] = position += e->position[i];
    }
}

/* ---- counting, whichever way ---- */

typedef struct {
    const rm_kernels *kernels;
    FN(user) user;
    rm_entries out; /* this user's slice */
    int searching;
    int32_t *above, *at_least; /* where the others are counted: in `out`, or in `few` */
    few_counts few;
    int has_bound; /* min_score */
    TYPE bound;
    int32_t above_bound, at_least_bound;
} FN(counter);

/* Whether the entries are searched, and so must be sorted before the candidates come. */
static int FN(is_searched)(const rm_kernels *kernels, const FN(user) *u)
{
    return u->settled || u->n > kernels->crossover;
}

static void FN(zero_counts)(FN(counter) *c)
{
    int64_t i;
    c->above = c->out.ahead;
    c->at_least = c->out.tied;
    for (i = 0; i < c->user.n; i++)
        c->above[i] = c->at_least[i] = 0;
    for (i = 0; i < c->user.n && c->out.position; i++)
        c->out.position[i] = 0;
}

/* Adds (sign 1) or takes out (-1) at most RM_TILE candidates: the given items, or start, start + 1, ... */
static void FN(count_tile)(FN(counter) *c, const TYPE *x, int64_t n, const int32_t *items, int64_t start,
                       int32_t sign)
{
    if (c->user.settled)
        FN(search_settled)(&c->user, x, n, items, start, sign, &c->out);
    else if (c->searching)
        FN(search)(&c->user, x, n, sign, &c->out);
    else
        c->kernels->FN(count)(x, n, c->user.score, c->user.n, sign, c->above, c->at_least);
    if (c->has_bound)
        c->kernels->FN(count)(x, n, &c->bound, 1, sign, &c->above_bound, &c->at_least_bound);
}

static int64_t FN(count_kept)(const FN(counter) *c)
{
    int64_t kept = 0, i;
    for (i = 0; i < c->user.n; i++)
        kept += c->user.score[i] >= c->bound;
    return kept;
}

/* Entries below min_score are no candidates: they go last, by grade. */
static void FN(drop)(FN(counter) *c, int64_t kept)
{
    grade_position dropped = {c->user.grade, NULL};
    int64_t i;
    for (i = kept; i < c->user.n; i++) {
        c->out.ahead[i] = RM_UNRANKED;
        c->out.tied[i] = 0;
        if (c->out.position)
            c->out.position[i] = RM_UNRANKED;
    }
    sort_tail(&dropped, kept, c->user.n);
}

static void FN(order_few_tied)(FN(counter) *c)
{
    int64_t i;
    for (i = 0; i < c->user.n; i++) {
        c->out.ahead[i] = c->above[i];
        c->out.tied[i] = c->at_least[i] - c->above[i];
    }
    sort_counted(&c->out, 0, c->user.n);
}

static void FN(finish)(FN(counter) *c, int64_t n, int64_t *candidates)
{
    int64_t kept = c->user.n;
    *candidates = n;
    if (c->has_bound) {
        *candidates = c->at_least_bound;
        kept = FN(count_kept)(c);
    }
    if (c->searching)
        FN(unfold)(&c->user, &c->out);
    else if (c->above == c->out.ahead)
        order_counted(&c->out, c->user.n, n);
    else if (!order_few(&c->out, &c->few, (int)c->user.n))
        FN(order_few_tied)(c);
    if (c->has_bound)
        FN(drop)(c, kept);
    if (c->out.position)
        order_ties(&c->out, kept);
}
