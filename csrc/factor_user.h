/* One user's row of a tile of scores, for the kernel type T: see rm_user_block. */

static FN(counter) FN(block_counter)(const rm_user_block *block, const rm_run *run, int64_t user)
{
    const rm_input *input = block->input;
    int64_t base = block->out.offsets[user], at = base - block->out.offsets[block->first_user];
    FN(counter) c = {.kernels = run->kernels, .out = rm_slice(&block->out, base)};
    c.user.score = (TYPE *)block->scores + at;
    c.user.grade = c.out.grade;
    c.user.item = block->items + at;
    c.user.n = block->out.offsets[user + 1] - base;
    c.user.settled = input->order != RM_ORDER_NONE;
    c.user.keys = input->keys;
    c.above = c.out.ahead;
    c.at_least = c.out.tied;
    c.searching = FN(is_searched)(run->kernels, &c.user);
    return c;
}

static rm_code FN(block_start)(const rm_user_block *block, const rm_run *run, int64_t user)
{
    FN(counter) c = FN(block_counter)(block, run, user);
    if (c.searching)
        FN(sort_scores)(&c.user, 0, c.user.n);
    FN(zero_counts)(&c);
    return RM_OK;
}

static const TYPE *FN(tile_row)(const rm_user_block *block, const rm_score_tile *tile, int64_t user)
{
    return (const TYPE *)tile->scores + (user - block->first_user) * tile->width;
}

static rm_code FN(block_pick)(const rm_user_block *block, const rm_score_tile *tile, const rm_run *run,
                          int64_t user)
{
    FN(counter) c = FN(block_counter)(block, run, user);
    const TYPE *row = FN(tile_row)(block, tile, user);
    int64_t i;
    for (i = 0; i < c.user.n; i++) {
        int64_t at = c.user.item[i] - tile->first_item;
        if (at >= 0 && at < tile->n_items)
            c.user.score[i] = row[at];
    }
    return RM_OK;
}

/* The score that a relevant item is compared by must be the one that is counted here, to the bit. */
static rm_code FN(check_tile)(const FN(counter) *c, const rm_score_tile *tile, const TYPE *row, int64_t user)
{
    int64_t i, j;
    if (c->kernels->FN(has_nan)(row, tile->n_items))
        for (j = 0; j < tile->n_items; j++)
            if (row[j] != row[j])
                return rm_stop(RM_NAN_SCORE, user, tile->first_item + j, 0.0);
    for (i = 0; i < c->user.n; i++) {
        j = c->user.item[i] - tile->first_item;
        if (j >= 0 && j < tile->n_items && row[j] != c->user.score[i])
            return rm_stop(RM_CHANGED, user, c->user.item[i], 0.0);
    }
    return RM_OK;
}

static rm_code FN(block_count)(const rm_user_block *block, const rm_score_tile *tile, const rm_run *run,
                           int64_t user)
{
    FN(counter) c = FN(block_counter)(block, run, user);
    const TYPE *row = FN(tile_row)(block, tile, user);
    int64_t end = tile->first_item + tile->n_items, start;
    rm_code status = FN(check_tile)(&c, tile, row, user);
    rm_cursor cursor;
    if (status != RM_OK)
        return status;
    for (start = 0; start < tile->n_items; start += RM_TILE) {
        int64_t n = tile->n_items - start < RM_TILE ? tile->n_items - start : RM_TILE;
        FN(count_tile)(&c, row + start, n, NULL, tile->first_item + start, 1);
    }
    status = rm_cursor_seek(&cursor, &block->input->exclude, user, tile->first_item, block->input->n_items);
    while (status == RM_OK && cursor.item < end) {
        int32_t item = (int32_t)cursor.item;
        FN(count_tile)(&c, row + (item - tile->first_item), 1, &item, 0, -1);
        status = rm_cursor_next(&cursor, user, block->input->n_items, RM_EXCLUDE_RANGE);
    }
    return status;
}

static rm_code FN(block_finish)(const rm_user_block *block, const rm_run *run, int64_t user)
{
    const rm_input *input = block->input;
    FN(counter) c = FN(block_counter)(block, run, user);
    int64_t excluded = 0;
    rm_cursor cursor;
    rm_code status = rm_cursor_start(&cursor, &input->exclude, user, input->n_items, RM_EXCLUDE_RANGE);
    while (status == RM_OK && cursor.item != INT64_MAX) {
        excluded++;
        status = rm_cursor_next(&cursor, user, input->n_items, RM_EXCLUDE_RANGE);
    }
    if (status == RM_OK)
        FN(finish)(&c, FN(count_kept)(&c), input->n_items - excluded, &block->out.candidates[user]);
    return status;
}
