/* The k best items of each row. Candidates above a rising bound go into a reservoir of twice that many
 * places; whenever it is full, a quick-select keeps the best k and raises the bound. */
#include "internal.h"

typedef struct {
    const rm_input *input;
    const rm_run *run;
    int64_t *ids;
    int64_t k;
    int in_place;
    const rm_score_tile *tile; /* by tiles: what is kept between them */
    int64_t first_user;
    void *best_scores;
    int64_t *n_best;
} selector;

typedef struct {
    rm_buffer scores, items;
    double tile[RM_TILE];
} topk_scratch;

static void release_scratch(void *scratch)
{
    topk_scratch *s = scratch;
    rm_release(&s->scores);
    rm_release(&s->items);
}

#define T f32
#include "typed.h"
#include "topk_row.h"
#include "topk_tile.h"
#include "typed_end.h"
#define T f64
#include "typed.h"
#include "topk_row.h"
#include "topk_tile.h"
#include "typed_end.h"
#define T i64
#include "typed.h"
#include "topk_row.h"
#include "typed_end.h"

static rm_code select_one(void *context, void *scratch, int64_t row)
{
    const selector *c = context;
    if (c->input->n_items >= RM_UNRANKED)
        return rm_stop(RM_TOO_MANY_CANDIDATES, row, -1, (double)c->input->n_items);
    return FOR_KERNEL_TYPE(select_row, rm_kernel_type_of(c->input->scores.type), c, scratch, row);
}

rm_status rm_top_k(const rm_input *input, int64_t k, const rm_run *run, int64_t *ids)
{
    selector c = {
        .input = input, .run = run, .ids = ids, .k = k, .in_place = rm_scores_in_place(&input->scores)};
    rm_loop loop = {.body = select_one,
                    .context = &c,
                    .scratch_size = sizeof(topk_scratch),
                    .release = release_scratch,
                    .n_users = input->n_users,
                    .work = input->n_users * input->n_items};
    return rm_for_users(&loop, run);
}

static rm_code select_one_of_tile(void *context, void *scratch, int64_t at)
{
    const selector *c = context;
    if (c->input->scores.type == RM_F32)
        return select_tile_f32(c, scratch, at);
    return select_tile_f64(c, scratch, at);
}

rm_status rm_block_top_k(const rm_input *input, int64_t first_user, int64_t n_users,
                         const rm_score_tile *tile, int64_t k, const rm_run *run, void *best_scores,
                         int64_t *best_ids, int64_t *n_best)
{
    selector c = {.input = input,
                  .run = run,
                  .ids = best_ids,
                  .k = k,
                  .tile = tile,
                  .first_user = first_user,
                  .best_scores = best_scores,
                  .n_best = n_best};
    rm_loop loop = {.body = select_one_of_tile,
                    .context = &c,
                    .scratch_size = sizeof(topk_scratch),
                    .release = release_scratch,
                    .n_users = n_users,
                    .work = n_users * tile->n_items};
    return rm_for_users(&loop, run);
}
