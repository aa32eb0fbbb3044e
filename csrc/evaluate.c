/* Rank and measure in one go: one user's ranks live in the cache and nowhere else. */
#include "measure.h"
#include "rank.h"

/* For so many candidates, room for all is cheaper than counting the relevant ones. */
#define ROOM 4096

typedef struct {
    rm_ranker ranker;
    rm_meter meter;
    int64_t room; /* for entries of users who wait: no more than there can be */
} evaluate_context;

/* Users that wait to be ranked and measured together. */
typedef struct {
    rm_rank_scratch rank;
    rm_measure_scratch measure;
    rm_buffer ahead, tied, position, grade;
    rm_rows rows;
    int64_t room, taken; /* entries there is room for, and those that may come */
    int64_t first, n;
    int64_t most[RM_TOGETHER], offsets[RM_TOGETHER + 1], candidates[RM_TOGETHER];
} evaluate_scratch;

static void release_scratch(void *scratch)
{
    evaluate_scratch *s = scratch;
    rm_release_rank_scratch(&s->rank);
    rm_release_measure_scratch(&s->measure);
    rm_release(&s->ahead);
    rm_release(&s->tied);
    rm_release(&s->position);
    rm_release(&s->grade);
}

static rm_code evaluate_waiting(void *context, void *scratch)
{
    const evaluate_context *c = context;
    evaluate_scratch *s = scratch;
    int64_t n = s->n;
    rm_code ranked, measured;
    s->n = s->taken = 0;
    if (n == 0)
        return RM_OK;
    ranked = rm_rank_rows(&c->ranker, &s->rank, s->first, &n, &s->rows);
    s->measure.shared = &s->rank.scores;
    measured = rm_measure_rows(&c->meter, &s->measure, s->first, &s->rows.entries, n);
    return measured != RM_OK ? measured : ranked; /* of an earlier user */
}

static rm_code reserve(evaluate_scratch *s, const rm_input *input, int64_t n)
{
    rm_entries *entries = &s->rows.entries;
    int positions = input->order != RM_ORDER_NONE;
    s->room = 0;
    s->rows.most = s->most;
    s->rows.offsets = s->offsets;
    s->rows.candidates = s->candidates;
    entries->offsets = s->offsets;
    entries->candidates = s->candidates;
    entries->ahead = rm_reserve(&s->ahead, n, sizeof *entries->ahead);
    entries->tied = rm_reserve(&s->tied, n, sizeof *entries->tied);
    entries->position = positions ? rm_reserve(&s->position, n, sizeof *entries->position) : NULL;
    entries->grade = rm_reserve(&s->grade, n, sizeof *entries->grade);
    if (!entries->ahead || !entries->tied || !entries->grade || (positions && !entries->position))
        return rm_stop(RM_NO_MEMORY, -1, -1, 0.0);
    s->room = n;
    return RM_OK;
}

static rm_code evaluate_one(void *context, void *scratch, int64_t user)
{
    evaluate_context *c = context;
    evaluate_scratch *s = scratch;
    const rm_input *input = c->ranker.input;
    int64_t row_length = rm_row_length(input, user), n = row_length;
    rm_code status = RM_OK;
    if (row_length > ROOM)
        status = rm_find_relevant(input, c->ranker.run->kernels, user, row_length, NULL, NULL, &n);
    if (status == RM_OK && (s->n == RM_TOGETHER || s->taken + n > s->room))
        status = evaluate_waiting(c, s);
    if (status == RM_OK && (s->room == 0 || n > s->room))
        status = reserve(s, input, n > c->room ? n : c->room);
    if (status != RM_OK)
        return status;
    if (s->n == 0)
        s->first = user;
    s->most[s->n++] = n;
    s->taken += n;
    return RM_OK;
}

static int64_t longest_row(const rm_input *input)
{
    int64_t longest = 0, u;
    if (!input->offsets)
        return input->n_items;
    for (u = 0; u < input->n_users; u++)
        longest = rm_row_length(input, u) > longest ? rm_row_length(input, u) : longest;
    return longest;
}

rm_status rm_evaluate(const rm_input *input, const rm_plan *plan, const rm_run *run, double *values,
                      int64_t *undefined)
{
    int64_t n_rows = rm_n_rows(input);
    evaluate_context c = {.ranker = rm_ranker_of(input, run), .room = 2 * ROOM};
    rm_loop loop = {.body = evaluate_one,
                    .context = &c,
                    .scratch_size = sizeof(evaluate_scratch),
                    .release = release_scratch,
                    .n_users = input->n_users,
                    .work = n_rows,
                    .finish = evaluate_waiting};
    rm_status status = rm_fail(RM_NO_MEMORY, -1, -1, 0.0);
    if (n_rows < c.room)
        c.room = n_rows + 1;
    if (rm_open_meter(&c.meter, plan, run, input->n_users, longest_row(input), values, undefined))
        status = rm_for_users(&loop, run);
    rm_close_meter(&c.meter);
    return status;
}
