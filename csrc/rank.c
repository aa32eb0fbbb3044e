/* Scores -> Ranks: for each user, how many candidates stand above each relevant item and beside it. */
#include "rank.h"
#include "entries.h"

rm_ranker rm_ranker_of(const rm_input *input, const rm_run *run)
{
    rm_ranker ranker = {input, run, rm_scores_in_place(&input->scores)};
    return ranker;
}

void rm_release_rank_scratch(rm_rank_scratch *scratch)
{
    rm_release(&scratch->items);
    rm_release(&scratch->scores);
    rm_release(&scratch->batch);
}

/* A user of many millions of rows must hear Ctrl-C too. */
static int stopped_inside(int64_t start) { return start > 0 && start % RM_STOP_EVERY == 0 && rm_stopped(); }

/* ---- the three kernel types ---- */

#define T f32
#include "typed.h"
#include "radix.h"
#include "sorted_user.h"
#include "count_user.h"
#include "merge_user.h"
#include "rank_user.h"
#include "typed_end.h"
#define T f64
#include "typed.h"
#include "radix.h"
#include "sorted_user.h"
#include "count_user.h"
#include "merge_user.h"
#include "rank_user.h"
#include "typed_end.h"
#define T i64
#include "typed.h"
#include "radix.h"
#include "sorted_user.h"
#include "count_user.h"
#include "merge_user.h"
#include "rank_user.h"
#include "typed_end.h"

rm_code rm_rank_user(const rm_ranker *ranker, rm_rank_scratch *scratch, int64_t user, const rm_entries *out,
                     int64_t *n_entries, int64_t *candidates)
{
    int64_t n = rm_row_length(ranker->input, user);
    if (n >= RM_UNRANKED)
        return rm_stop(RM_TOO_MANY_CANDIDATES, user, -1, (double)n);
    return FOR_KERNEL_TYPE(rank_user, rm_kernel_type_of(ranker->input->scores.type), ranker, scratch, user,
                           out, n_entries, candidates);
}

/* ---- all users ---- */

typedef struct {
    rm_ranker ranker;
    const rm_entries *out;
    int64_t *counts;
} rank_context;

static void release_scratch(void *scratch) { rm_release_rank_scratch(scratch); }

static rm_code count_one(void *context, void *scratch, int64_t user)
{
    const rank_context *c = context;
    const rm_input *input = c->ranker.input;
    (void)scratch;
    return rm_find_relevant(input, c->ranker.run->kernels, user, rm_row_length(input, user), NULL, NULL,
                            &c->counts[user]);
}

static rm_code rank_one(void *context, void *scratch, int64_t user)
{
    const rank_context *c = context;
    int64_t room = c->out->offsets[user + 1] - c->out->offsets[user], n = 1, offsets[2];
    rm_rows rows = {rm_slice(c->out, c->out->offsets[user]), &room, offsets, &c->out->candidates[user]};
    rm_code status = rm_rank_rows(&c->ranker, scratch, user, &n, &rows);
    return status == RM_OK && offsets[1] != room ? rm_stop(RM_CHANGED, user, -1, 0.0) : status;
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
    rank_context c = {rm_ranker_of(input, run), NULL, counts};
    int64_t work = input->labels.data ? rm_n_rows(input) : input->n_users;
    rm_loop loop = {.body = count_one, .context = &c, .n_users = input->n_users, .work = work};
    return rm_for_users(&loop, run);
}

rm_status rm_rank(const rm_input *input, const rm_run *run, const rm_entries *out)
{
    rank_context c = {rm_ranker_of(input, run), out, NULL};
    rm_loop loop = {.body = rank_one,
                    .context = &c,
                    .scratch_size = sizeof(rm_rank_scratch),
                    .release = release_scratch,
                    .n_users = input->n_users,
                    .work = rm_n_rows(input)};
    return rm_for_users(&loop, run);
}
