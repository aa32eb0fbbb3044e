/* Scores that exist a tile at a time: a block of users goes over all items and keeps its entries. */
#include "entries.h"

/* Which step of a block a loop takes for each of its users. */
typedef enum { FIND, START, PICK, COUNT, FINISH } step;

static int64_t place_in(const rm_score_tile *tile, int32_t item)
{
    int64_t at = item - tile->first_item;
    return at < tile->n_items ? at : -1; /* below 0 before the tile */
}

#define T f32
#include "typed.h"
#include "sorted_user.h"
#include "count_user.h"
#include "factor_user.h"
#include "typed_end.h"
#define T f64
#include "typed.h"
#include "sorted_user.h"
#include "count_user.h"
#include "factor_user.h"
#include "typed_end.h"

typedef struct {
    const rm_user_block *block;
    const rm_score_tile *tile;
    const rm_run *run;
    step step;
} block_context;

static rm_code find_relevant(const rm_user_block *block, const rm_run *run, int64_t user)
{
    int64_t base = block->out.offsets[user], room = block->out.offsets[user + 1] - base, n = room;
    int32_t *items = block->items + (base - block->out.offsets[block->first_user]);
    rm_code status = rm_find_relevant(block->input, run->kernels, user, block->input->n_items, items,
                                      block->out.grade + base, &n);
    return status == RM_OK && n != room ? rm_stop(RM_CHANGED, user, -1, 0.0) : status;
}

static rm_code take_step(void *context, void *scratch, int64_t at)
{
    const block_context *c = context;
    const rm_user_block *block = c->block;
    int64_t user = block->first_user + at;
    int single = block->input->scores.type == RM_F32;
    (void)scratch;
    switch (c->step) {
    case FIND:
        return find_relevant(block, c->run, user);
    case START:
        return single ? block_start_f32(block, c->run, user) : block_start_f64(block, c->run, user);
    case PICK:
        return single ? block_pick_f32(block, c->tile, c->run, user)
                      : block_pick_f64(block, c->tile, c->run, user);
    case COUNT:
        return single ? block_count_f32(block, c->tile, c->run, user)
                      : block_count_f64(block, c->tile, c->run, user);
    default:
        return single ? block_finish_f32(block, c->run, user) : block_finish_f64(block, c->run, user);
    }
}

static rm_status for_block(const rm_user_block *block, const rm_score_tile *tile, const rm_run *run,
                           step step)
{
    block_context c = {block, tile, run, step};
    int64_t work = block->n_users * (tile ? tile->n_items : 1);
    rm_loop loop = {.body = take_step, .context = &c, .n_users = block->n_users, .work = work};
    return rm_for_users(&loop, run);
}

rm_status rm_block_find(const rm_user_block *block, const rm_run *run)
{
    return for_block(block, NULL, run, FIND);
}

rm_status rm_block_start(const rm_user_block *block, const rm_run *run)
{
    return for_block(block, NULL, run, START);
}

rm_status rm_block_pick(const rm_user_block *block, const rm_score_tile *tile, const rm_run *run)
{
    return for_block(block, tile, run, PICK);
}

rm_status rm_block_count(const rm_user_block *block, const rm_score_tile *tile, const rm_run *run)
{
    return for_block(block, tile, run, COUNT);
}

rm_status rm_block_finish(const rm_user_block *block, const rm_run *run)
{
    return for_block(block, NULL, run, FINISH);
}
