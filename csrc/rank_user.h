/* One user's row of scores -> where the relevant items landed, for the kernel type T. */

/* ---- reading ---- */

static void FN(gather)(const rm_ranker *r, const char *row, const int32_t *items, int64_t n, TYPE *out)
{
    int64_t i;
    if (r->in_place)
        for (i = 0; i < n; i++)
            out[i] = ((const TYPE *)row)[items[i]];
    else
        for (i = 0; i < n; i++)
            FN(rm_load)(&r->input->scores, row, items[i], 1, &out[i]);
}

static rm_code FN(count_row)(
    FN(counter) *c, const rm_ranker *r, rm_rank_scratch *s, const char *row, int64_t user,
                         int64_t n)
{
    int64_t start;
    if (c->user.n >= MANY && !c->user.settled && !c->has_bound)
        return FN(merge_row)(c, r, s, row, user, n);
    for (start = 0; start < n; start += RM_TILE) {
        int64_t length = n - start < RM_TILE ? n - start : RM_TILE;
        const TYPE *x = FN(tile)(r, s, row, start, length);
        rm_code status = FN(check_numbers)(c, x, length, user, start);
        if (status != RM_OK)
            return status;
        FN(count_tile)(c, x, length, NULL, start, 1);
        if (stopped_inside(start))
            return rm_stop(RM_INTERRUPTED, -1, -1, 0.0);
    }
    return RM_OK;
}

/* Takes the excluded candidates back out; *excluded counts them. */
static rm_code FN(count_excluded)(
    FN(counter) *c, const rm_ranker *r, const char *row, int64_t user, int64_t n,
                              int64_t *excluded)
{
    rm_cursor cursor;
    int32_t items[256];
    TYPE x[256];
    rm_code status = rm_cursor_start(&cursor, &r->input->exclude, user, n, RM_EXCLUDE_RANGE);
    *excluded = 0;
    while (status == RM_OK && cursor.item != INT64_MAX) {
        int64_t length = 0;
        while (status == RM_OK && length < 256 && cursor.item != INT64_MAX) {
            items[length++] = (int32_t)cursor.item;
            status = rm_cursor_next(&cursor, user, n, RM_EXCLUDE_RANGE);
        }
        FN(gather)(r, row, items, length, x);
        FN(count_tile)(c, x, length, items, 0, -1);
        *excluded += length;
    }
    return status;
}

/* The user's relevant items with their scores; *n holds the room for them, then their number. */
static rm_code FN(collect)(
    FN(counter) *c, const rm_ranker *r, rm_rank_scratch *s, const char *row, int64_t user,
                       int64_t n_items, int64_t *n)
{
    const rm_input *input = r->input;
    /* Without an order, items are read once, and `ahead` has room for them if there are any. */
    int settled = c->out.position != NULL, borrowed = !settled && *n > 0;
    int32_t *items = borrowed ? c->out.ahead : rm_reserve(&s->items, *n, sizeof *items);
    TYPE *scores = rm_reserve(&s->scores, *n, sizeof *scores);
    rm_code status;
    if (!items || !scores)
        return rm_stop(RM_NO_MEMORY, -1, -1, 0.0);
    status = rm_find_relevant(input, c->kernels, user, n_items, items, c->out.grade, n);
    if (status != RM_OK)
        return status;
    FN(gather)(r, row, items, *n, scores);
    c->user.score = scores;
    c->user.grade = c->out.grade;
    c->user.n = *n;
    c->user.settled = settled;
    c->user.item = settled ? items : NULL;
    c->user.keys = NULL;
    if (settled && input->order == RM_ORDER_KEYS)
        c->user.keys = input->keys + (input->offsets ? input->offsets[user] : 0);
    c->searching = FN(is_searched)(c->kernels, &c->user);
    if (!c->searching)
        return status;
    if (*n >= MANY && !settled && FN(one_grade)(&c->user))
        FN(sort_plain)(&c->user);
    else
        FN(sort_scores)(&c->user, 0, *n);
    return status;
}

static void FN(start_counting)(FN(counter) *c)
{
    if (c->searching || c->user.n > FEW) {
        FN(zero_counts)(c);
        return;
    }
    c->few = (few_counts){{{0}, {0}}, {{0}, {0}}};
    c->above = (int32_t *)c->few.above;
    c->at_least = (int32_t *)c->few.at_least;
}

/* Ties are settled if `out` has room for positions. */
static rm_code FN(rank_as)(const rm_ranker *r, rm_rank_scratch *s, int64_t user, const rm_entries *out,
                       int64_t *n_entries, int64_t *candidates)
{
    const rm_input *input = r->input;
    const char *row = rm_row(&input->scores, input->offsets, user);
    int64_t n = rm_row_length(input, user), excluded = 0;
    FN(counter) c;
    rm_code status;
    c.kernels = r->run->kernels;
    c.out = *out;
    status = FN(collect)(&c, r, s, row, user, n, n_entries);
    if (status != RM_OK)
        return status;
    c.has_bound = input->has_min_score;
    c.above_bound = c.at_least_bound = 0;
    c.bound = FN(min_score)(input);
    FN(start_counting)(&c);
    status = FN(count_row)(&c, r, s, row, user, n);
    if (status == RM_OK && input->exclude.starts)
        status = FN(count_excluded)(&c, r, row, user, n, &excluded);
    if (status == RM_OK)
        FN(finish)(&c, n - excluded, candidates);
    return status;
}

/* Most users have no tie to settle: then the places are the counts, which are faster to come by. */
static rm_code FN(rank_user)(const rm_ranker *r, rm_rank_scratch *s, int64_t user, const rm_entries *out,
                         int64_t *n_entries, int64_t *candidates)
{
    rm_entries plain = *out;
    int64_t room = *n_entries, i, any_tied = 0;
    rm_code status;
    plain.position = NULL;
    status = FN(rank_as)(r, s, user, &plain, n_entries, candidates);
    if (status != RM_OK || !out->position)
        return status;
    for (i = 0; i < *n_entries; i++) {
        out->position[i] = out->ahead[i];
        any_tied |= out->tied[i] > 1;
    }
    if (!any_tied)
        return status;
    *n_entries = room;
    return FN(rank_as)(r, s, user, out, n_entries, candidates);
}
