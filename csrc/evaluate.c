/* Rank and measure in one go: one user's ranks live in the cache and nowhere else. */
#include "measure.h"
#include "rank.h"

/* For so many candidates, room for all is cheaper than counting the relevant ones. */
#define ROOM 4096

typedef struct {
    rm_ranker ranker;
    rm_meter meter;
} evaluate_context;

typedef struct {
    rm_rank_scratch rank;
    rm_measure_scratch measure;
    rm_buffer ahead, tied, position, grade;
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

static rm_code reserve(evaluate_scratch *s, const rm_input *input, int64_t n, rm_entries *entries)
{
    int positions = input->order != RM_ORDER_NONE;
    entries->ahead = rm_reserve(&s->ahead, n, sizeof *entries->ahead);
    entries->tied = rm_reserve(&s->tied, n, sizeof *entries->tied);
    entries->position = positions ? rm_reserve(&s->position, n, sizeof *entries->position) : NULL;
    entries->grade = rm_reserve(&s->grade, n, sizeof *entries->grade);
    if (!entries->ahead || !entries->tied || !entries->grade || (positions && !entries->position))
        return rm_stop(RM_NO_MEMORY, -1, -1, 0.0);
    return RM_OK;
}

static rm_code evaluate_one(void *context, void *scratch, int64_t user)
{
    const evaluate_context *c = context;
    evaluate_scratch *s = scratch;
    const rm_input *input = c->ranker.input;
    rm_entries entries = {0};
    int64_t row_length = rm_row_length(input, user), n = row_length, candidates;
    rm_code status = RM_OK;
    if (row_length > ROOM)
        status = rm_find_relevant(input, c->ranker.run->kernels, user, row_length, NULL, NULL, &n);
    if (status == RM_OK)
        status = reserve(s, input, n, &entries);
    if (status == RM_OK)
        status = rm_rank_user(&c->ranker, &s->rank, user, &entries, &n, &candidates);
    s->measure.shared = &s->rank.scores;
    if (status == RM_OK)
        status = rm_measure_user(&c->meter, &s->measure, user, &entries, n, candidates);
    return status;
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
    evaluate_context c = {.ranker = rm_ranker_of(input, run)};
    rm_loop loop = {evaluate_one,    &c, sizeof(evaluate_scratch), release_scratch, input->n_users,
                    rm_n_rows(input)};
    rm_status status = rm_fail(RM_NO_MEMORY, -1, -1, 0.0);
    if (rm_open_meter(&c.meter, plan, input->n_users, longest_row(input), values, undefined))
        status = rm_for_users(&loop, run);
    rm_close_meter(&c.meter);
    return status;
}
