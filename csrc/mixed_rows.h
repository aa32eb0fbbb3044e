/* Passes over mixed rows for the kernel type T: see mixed.c. */

typedef struct {
    int32_t user[ROWS]; /* -1: excluded */
    TYPE score[ROWS];
    double label[ROWS];
    TYPE bound;
} FN(rows);

static rm_code FN(read_rows)(const mixer *m, int64_t block, int64_t start, int64_t n, FN(rows) *rows)
{
    const rm_input *input = m->input;
    int any_nan;
    int64_t i;
    rows->bound = FN(min_score)(input);
    if (!rm_groups_find(m->mixed->groups, start, n, rows->user))
        return rm_stop(RM_CHANGED, block, start, 0.0);
    FN(rm_load)(&input->scores, input->scores.data, start, n, rows->score);
    rm_load_f64(&input->labels, input->labels.data, start, n, rows->label);
    any_nan = m->kernels->FN(has_nan)(rows->score, n);
    for (i = 0; i < n; i++) {
        const TYPE *score = &rows->score[i];
        if (any_nan && *score != *score)
            return rm_stop(RM_NAN_SCORE, block, start + i, 0.0);
        if (!isfinite(rows->label[i]))
            return rm_stop(RM_BAD_LABEL, block, start + i, rows->label[i]);
        if (is_excluded(m, rows->user[i], start + i))
            rows->user[i] = -1;
    }
    return RM_OK;
}

/* ---- counting ---- */

static rm_code FN(count_rows)(const mixer *m, int64_t block, int64_t start, int64_t n)
{
    FN(rows) rows;
    rm_code status = FN(read_rows)(m, block, start, n, &rows);
    int64_t i;
    for (i = 0; i < n && status == RM_OK; i++) {
        if (rows.user[i] < 0)
            continue;
        if (rows.label[i] > 0.0)
            add_one_64(&m->counts[rows.user[i]]);
        if (!m->input->has_min_score || rows.score[i] >= rows.bound)
            add_one_64(&m->candidates[rows.user[i]]);
    }
    return status;
}

/* ---- collecting the relevant ---- */

/* Until all are there, `tied` of a user's first entry tells how many are. */
static rm_code FN(collect_rows)(const mixer *m, int64_t block, int64_t start, int64_t n)
{
    const int64_t *offsets = m->out->offsets;
    FN(rows) rows;
    rm_code status = FN(read_rows)(m, block, start, n, &rows);
    int64_t i;
    for (i = 0; i < n && status == RM_OK; i++) {
        int64_t user = rows.user[i], room, at;
        if (user < 0 || !(rows.label[i] > 0.0))
            continue;
        room = offsets[user + 1] - offsets[user];
        at = room > 0 ? taken_before(&m->out->tied[offsets[user]]) : 0;
        if (at >= room)
            return rm_stop(RM_CHANGED, block, start + i, 0.0);
        at += offsets[user];
        if (m->scores)
            ((TYPE *)m->scores)[at] = rows.score[i];
        if (m->out->position)
            ((row_number *)m->out->grade)[at] = start + i;
        else
            m->out->grade[at] = rows.label[i];
    }
    return status;
}

/* ---- one user's entries, in order ---- */

typedef struct {
    const rm_input *input;
    TYPE *score;     /* NULL: read from the row */
    row_number *row; /* where an order settles ties */
    int64_t n;
} FN(ordered);

static inline TYPE FN(score_of_row)(const rm_input *input, int64_t row)
{
    TYPE score;
    FN(rm_load)(&input->scores, input->scores.data, row, 1, &score);
    return score;
}

static inline TYPE FN(entry_score)(const FN(ordered) *o, int64_t i)
{
    return o->score ? o->score[i] : FN(score_of_row)(o->input, o->row[i]);
}

static inline int FN(row_before)(const FN(ordered) *o, int64_t i, int64_t j)
{
    TYPE a = FN(entry_score)(o, i), b = FN(entry_score)(o, j);
    return a != b ? a > b : leads(o->input, o->row[i], o->row[j]);
}

static inline void FN(row_swap)(FN(ordered) *o, int64_t i, int64_t j)
{
    int64_t row = o->row[i];
    o->row[i] = o->row[j];
    o->row[j] = row;
    if (o->score) {
        TYPE score = o->score[i];
        o->score[i] = o->score[j];
        o->score[j] = score;
    }
}

#define SORT_NAME FN(sort_rows)
#define SORT_CONTEXT FN(ordered)
#define BEFORE(c, i, j) FN(row_before)(c, i, j)
#define SWAP(c, i, j) FN(row_swap)(c, i, j)
#include "sort.h"

static FN(ordered) FN(entries_of)(const mixer *m, int64_t user)
{
    int64_t base = m->out->offsets[user];
    FN(ordered) o = {m->input, NULL, (row_number *)m->out->grade + base, m->out->offsets[user + 1] - base};
    if (m->scores)
        o.score = (TYPE *)m->scores + base;
    return o;
}

static rm_code FN(sort_entries)(const mixer *m, int64_t user)
{
    int64_t base = m->out->offsets[user], i;
    rm_entries out = rm_slice(m->out, base);
    FN(ordered) o = FN(entries_of)(m, user);
    if (o.n > 0 && out.tied[0] != o.n)
        return rm_stop(RM_CHANGED, user, -1, 0.0);
    for (i = 0; i < o.n; i++)
        out.ahead[i] = out.tied[i] = 0;
    for (i = 0; i < o.n && out.position; i++)
        out.position[i] = 0;
    if (out.position) {
        FN(sort_rows)(&o, 0, o.n);
    } else {
        FN(user) u = {.score = o.score, .grade = out.grade, .n = o.n};
        FN(sort_scores)(&u, 0, o.n);
    }
    return RM_OK;
}

/* ---- searching ---- */

/* The first entry whose score is not above v, where scores are read from their rows. */
static int64_t FN(bucket_of_rows)(const FN(ordered) *o, TYPE v)
{
    int64_t low = 0, high = o->n;
    while (low < high) {
        int64_t middle = low + (high - low) / 2;
        if (FN(score_of_row)(o->input, o->row[middle]) > v)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

/* The first entry, from `low` on, that stands after the candidate in the settled order. */
static int64_t FN(entry_after)(const FN(ordered) *o, int64_t low, TYPE v, int64_t row)
{
    int64_t high = o->n;
    while (low < high) {
        int64_t middle = low + (high - low) / 2;
        if (FN(entry_score)(o, middle) == v && !leads(o->input, row, o->row[middle]))
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

/* Asks for all that a search will read, one step after the other. */
static void FN(fetch_entries)(const mixer *m, const FN(rows) *rows, int64_t n)
{
    const int64_t *offsets = m->out->offsets;
    int64_t i;
    for (i = 0; i < n; i++)
        if (rows->user[i] >= 0)
            RM_PREFETCH(&offsets[rows->user[i]]);
    for (i = 0; i < n; i++) {
        int64_t base = rows->user[i] >= 0 ? offsets[rows->user[i]] : 0;
        if (m->scores)
            RM_PREFETCH((const TYPE *)m->scores + base);
        RM_PREFETCH(&m->out->ahead[base]);
        RM_PREFETCH(&m->out->tied[base]);
    }
}

/* FN(bucket) for many rows at once, a step of each in turn: in long lists each step misses the cache, and
 * they need not wait for each other. left[i]: how many entries are in question, 0 for none. */
static void
FN(search_together)(const TYPE *const *score, const TYPE *v, int64_t n, int64_t *low, int64_t *left)
{
    int64_t longest = 0, i;
    for (i = 0; i < n; i++)
        longest = left[i] > longest ? left[i] : longest;
    for (; longest > 1; longest -= longest / 2)
        for (i = 0; i < n; i++) {
            int64_t half = left[i] / 2;
            low[i] += half && score[i][low[i] + half - 1] > v[i] ? half : 0;
            left[i] -= half;
        }
    for (i = 0; i < n; i++)
        low[i] += left[i] && score[i][low[i]] > v[i];
}

/* One place per row that is counted at an entry, -1 for the others. */
static void FN(find_places)(const mixer *m, const FN(rows) *rows, int64_t n, int64_t *places)
{
    const TYPE *score[ROWS];
    int64_t low[ROWS], left[ROWS], i;
    for (i = 0; i < n; i++) {
        FN(ordered) o = {NULL, NULL, NULL, 0};
        if (rows->user[i] >= 0 && !(m->input->has_min_score && rows->score[i] < rows->bound))
            o = FN(entries_of)(m, rows->user[i]);
        score[i] = o.score;
        left[i] = o.n;
        low[i] = 0;
        places[i] = o.n;
        if (o.n && !o.score) {
            low[i] = FN(bucket_of_rows)(&o, rows->score[i]);
            left[i] = 0;
        }
    }
    FN(search_together)(score, rows->score, n, low, left);
    for (i = 0; i < n; i++) {
        if (low[i] == places[i]) {
            places[i] = -1;
            continue;
        }
        places[i] = m->out->offsets[rows->user[i]] + low[i];
        RM_PREFETCH(&m->out->ahead[places[i]]);
        RM_PREFETCH(&m->out->tied[places[i]]);
    }
}

static void FN(count_at)(const mixer *m, int64_t user, TYPE score, int64_t row, int64_t place)
{
    FN(ordered) o = FN(entries_of)(m, user);
    rm_entries out = rm_slice(m->out, m->out->offsets[user]);
    int64_t b = place - m->out->offsets[user];
    add_one(&out.ahead[b]);
    if (FN(entry_score)(&o, b) == score) {
        add_one(&out.tied[b]);
        if (out.position)
            b = FN(entry_after)(&o, b, score, row);
    }
    if (out.position && b < o.n)
        add_one(&out.position[b]);
}

/* All are searched before any is counted: a search would have to wait for an atomic addition before it. */
static rm_code FN(search_rows)(const mixer *m, int64_t block, int64_t start, int64_t n)
{
    FN(rows) rows;
    int64_t places[ROWS], i;
    rm_code status = FN(read_rows)(m, block, start, n, &rows);
    if (status != RM_OK)
        return status;
    FN(fetch_entries)(m, &rows, n);
    FN(find_places)(m, &rows, n, places);
    for (i = 0; i < n; i++)
        if (places[i] >= 0)
            FN(count_at)(m, rows.user[i], rows.score[i], start + i, places[i]);
    return RM_OK;
}

/* ---- finishing ---- */

static rm_code FN(finish_entries)(const mixer *m, int64_t user)
{
    FN(ordered) o = FN(entries_of)(m, user);
    rm_entries out = rm_slice(m->out, m->out->offsets[user]);
    TYPE bound = FN(min_score)(m->input);
    int64_t kept = 0, i;
    for (i = 0; i < o.n; i++)
        kept += !m->input->has_min_score || FN(entry_score)(&o, i) >= bound;
    unfold(&out, o.n);
    for (i = 0; i < o.n && out.position; i++) {
        double grade;
        rm_load_f64(&m->input->labels, m->input->labels.data, o.row[i], 1, &grade);
        out.grade[i] = grade;
    }
    drop_entries(&out, kept, o.n);
    if (out.position)
        order_ties(&out, kept);
    return RM_OK;
}
