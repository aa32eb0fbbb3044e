/* Scores -> Ranks: for each user, how many candidates stand above each relevant item and beside it. */
#include "internal.h"

/* Above this many relevant items a binary search per candidate beats comparing with each of them. */
#define CROSSOVER 48
#define FEW 12 /* entries that are sorted without a branch */

typedef struct {
    const rm_input *input;
    const rm_run *run;
    const rm_entries *out;
    int64_t *counts;
    int in_place;
} ranker;

typedef struct {
    rm_buffer items, scores;
    double tile[RM_TILE];
} rank_scratch;

static void release_scratch(void *scratch)
{
    rank_scratch *s = scratch;
    rm_release(&s->items);
    rm_release(&s->scores);
}

/* A user of many millions of rows must hear Ctrl-C too. */
static int interrupted_inside(const ranker *r, int64_t start)
{
    return start > 0 && start % (64 * RM_TILE) == 0 && r->run->interrupted && rm_thread_id() == 0 &&
           r->run->interrupted();
}

/* ---- entries that share `ahead`: by grade descending, then position ---- */

typedef struct {
    double *grade;
    int32_t *position;
} grade_position;

static inline int graded_before(const grade_position *g, int64_t i, int64_t j)
{
    if (g->grade[i] != g->grade[j])
        return g->grade[i] > g->grade[j];
    return g->position && g->position[i] < g->position[j];
}

static inline void graded_swap(grade_position *g, int64_t i, int64_t j)
{
    double grade = g->grade[i];
    g->grade[i] = g->grade[j];
    g->grade[j] = grade;
    if (g->position) {
        int32_t position = g->position[i];
        g->position[i] = g->position[j];
        g->position[j] = position;
    }
}

#define SORT_NAME sort_tail
#define SORT_CONTEXT grade_position
#define BEFORE(c, i, j) graded_before(c, i, j)
#define SWAP(c, i, j) graded_swap(c, i, j)
#include "sort.h"

static void order_ties(rm_entries *entries, int64_t n)
{
    grade_position pairs = {entries->grade, entries->position};
    int64_t first, end;
    for (first = 0; first < n; first = end) {
        for (end = first + 1; end < n && entries->ahead[end] == entries->ahead[first];)
            end++;
        if (end - first > 1)
            sort_tail(&pairs, first, end);
    }
}

/* ---- the three kernel types ---- */

static float min_score_f32(const rm_input *input) { return (float)input->min_score_float; }
static double min_score_f64(const rm_input *input) { return input->min_score_float; }
static int64_t min_score_i64(const rm_input *input) { return input->min_score_int; }

#define T f32
#include "rank_user.h"
#define T f64
#include "rank_user.h"
#define T i64
#include "rank_user.h"

/* ---- all users ---- */

static rm_status count_one(void *context, void *scratch, int64_t user)
{
    const ranker *r = context;
    int64_t n = rm_row_length(r->input, user);
    (void)scratch;
    if (n >= RM_UNRANKED)
        return rm_fail(RM_TOO_MANY_CANDIDATES, user, -1, (double)n);
    return rm_find_relevant(r->input, user, n, NULL, NULL, &r->counts[user]);
}

static rm_status rank_one(void *context, void *scratch, int64_t user)
{
    const ranker *r = context;
    switch (rm_kernel_type_of(r->input->scores.type)) {
    case RM_KERNEL_F32:
        return rank_user_f32(r, scratch, user);
    case RM_KERNEL_F64:
        return rank_user_f64(r, scratch, user);
    default:
        return rank_user_i64(r, scratch, user);
    }
}

static int64_t n_rows(const rm_input *input)
{
    return input->offsets ? input->offsets[input->n_users] : input->n_users * input->n_items;
}

rm_status rm_check_offsets(const int64_t *offsets, int64_t n_users, int64_t rows)
{
    int64_t u;
    if (offsets[0] != 0)
        return rm_fail(RM_OFFSETS_START, 0, -1, (double)offsets[0]);
    for (u = 0; u < n_users; u++)
        if (offsets[u + 1] < offsets[u])
            return rm_fail(RM_OFFSETS_ORDER, u, -1, (double)offsets[u + 1]);
    if (offsets[n_users] != rows)
        return rm_fail(RM_OFFSETS_END, n_users, -1, (double)offsets[n_users]);
    return rm_ok();
}

rm_status rm_count_relevant(const rm_input *input, const rm_run *run, int64_t *counts)
{
    ranker r = {.input = input, .run = run, .counts = counts};
    int64_t work = input->labels.data ? n_rows(input) : input->n_users;
    rm_loop loop = {count_one, &r, 0, NULL, input->n_users, work};
    return rm_for_users(&loop, run);
}

rm_status rm_rank(const rm_input *input, const rm_run *run, const rm_entries *out)
{
    ranker r = {.input = input, .run = run, .out = out, .in_place = rm_scores_in_place(&input->scores)};
    rm_loop loop = {rank_one, &r, sizeof(rank_scratch), release_scratch, input->n_users, n_rows(input)};
    return rm_for_users(&loop, run);
}
