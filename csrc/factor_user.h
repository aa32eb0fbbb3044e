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
        int64_t at = place_in(tile, c.user.item[i]);
        if (at >= 0)
            c.user.score[i] = row[at];
    }
    return RM_OK;
}

static int32_t FN(first_ties)(const FN(counter) *c) { return c->user.n ? c->at_least[0] - c->above[0] : 0; }

/* Whether the tile, which has been counted, holds numbers for sure: a NaN ties with all, but the first
 * relevant item, which had `before` ties, gained none but with itself. */
static int FN(is_tile_untied)(const FN(counter) *c, const rm_score_tile *tile, int32_t before)
{
    if (c->user.settled || c->searching || c->user.n == 0 || c->user.score[0] != c->user.score[0])
        return 0;
    return FN(first_ties)(c) == before + (place_in(tile, c->user.item[0]) >= 0);
}

/* The score that a relevant item is compared by must be the one that was counted here, to the bit. */
static rm_code FN(check_tile)(const FN(counter) *c, const rm_score_tile *tile, const TYPE *row, int64_t user,
                          int32_t ties_before)
{
    int64_t i, j;
    if (!FN(is_tile_untied)(c, tile, ties_before) && c->kernels->FN(has_nan)(row, tile->n_items))
        for (j = 0; j < tile->n_items; j++)
            if (row[j] != row[j])
                return rm_stop(RM_NAN_SCORE, user, tile->first_item + j, 0.0);
    for (i = 0; i < c->user.n; i++) {
        j = place_in(tile, c->user.item[i]);
        if (j >= 0 && row[j] != c->user.score[i])
            return rm_stop(RM_CHANGED, user, c->user.item[i], 0.0);
    }
    return RM_OK;
}

static rm_code FN(take_out_excluded)( FN(counter) *c, const rm_input *input, const rm_score_tile *tile,
                                 const TYPE *row, int64_t user)
{
    const int64_t end = tile->first_item + tile->n_items;
    rm_cursor cursor;
    int32_t items[RM_TAKEN];
    TYPE x[RM_TAKEN];
    rm_code status = rm_cursor_seek(&cursor, &input->exclude, user, tile->first_item, input->n_items);
    while (status == RM_OK && cursor.item < end) {
        int64_t n, i;
        status = rm_cursor_take(&cursor, user, input->n_items, end, items, &n);
        for (i = 0; i < n; i++)
            x[i] = row[items[i] - tile->first_item];
        FN(count_tile)(c, x, n, items, 0, -1);
    }
    return status;
}

static rm_code FN(block_count)(const rm_user_block *block, const rm_score_tile *tile, const rm_run *run,
                           int64_t user)
{
    FN(counter) c = FN(block_counter)(block, run, user);
    const TYPE *row = FN(tile_row)(block, tile, user);
    int32_t ties = FN(first_ties)(&c);
    rm_code status;
    int64_t start;
    for (start = 0; start < tile->n_items; start += RM_TILE) {
        int64_t n = tile->n_items - start < RM_TILE ? tile->n_items - start : RM_TILE;
        FN(count_tile)(&c, row + start, n, NULL, tile->first_item + start, 1);
    }
    status = FN(check_tile)(&c, tile, row, user, ties);
    return status == RM_OK ? FN(take_out_excluded)(&c, block->input, tile, row, user) : status;
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
