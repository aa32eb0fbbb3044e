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

/* Whether all n candidates, which have been counted, are numbers for sure: see has_numbers. */
static int FN(is_untied)(const FN(counter) *c, int64_t n)
{
    int64_t i;
    for (i = 0; i < c->user.n && n > 1; i++)
        if (c->at_least[i] - c->above[i] == 1)
            return 1;
    return 0;
}

static rm_code FN(check_row)(
    FN(counter) *c, const rm_ranker *r, rm_rank_scratch *s, const char *row, int64_t user,
                         int64_t n)
{
    rm_code status = RM_OK;
    int64_t start;
    for (start = 0; start < n && status == RM_OK; start += RM_TILE) {
        int64_t length = n - start < RM_TILE ? n - start : RM_TILE;
        status = FN(check_numbers)(c, FN(tile)(r, s, row, start, length), length, user, start);
        if (stopped_inside(start))
            return rm_stop(RM_INTERRUPTED, -1, -1, 0.0);
    }
    return status;
}

static rm_code FN(count_row)(
    FN(counter) *c, const rm_ranker *r, rm_rank_scratch *s, const char *row, int64_t user,
                         int64_t n)
{
    const int counted = !c->user.settled && !c->searching;
    int64_t start;
    if (c->user.n >= MANY && !c->user.settled && !c->has_bound)
        return FN(merge_row)(c, r, s, row, user, n);
    for (start = 0; start < n; start += RM_TILE) {
        int64_t length = n - start < RM_TILE ? n - start : RM_TILE;
        const TYPE *x = FN(tile)(r, s, row, start, length);
        rm_code status = counted ? RM_OK : FN(check_numbers)(c, x, length, user, start);
        if (status != RM_OK)
            return status;
        FN(count_tile)(c, x, length, NULL, start, 1);
        if (stopped_inside(start))
            return rm_stop(RM_INTERRUPTED, -1, -1, 0.0);
    }
    return counted && !FN(is_untied)(c, n) ? FN(check_row)(c, r, s, row, user, n) : RM_OK;
}

/* Takes the excluded candidates back out; *excluded counts them. */
static rm_code FN(count_excluded)(
    FN(counter) *c, const rm_ranker *r, const char *row, int64_t user, int64_t n,
                              int64_t *excluded)
{
    rm_cursor cursor;
    int32_t items[RM_TAKEN];
    TYPE x[RM_TAKEN];
    rm_code status = rm_cursor_start(&cursor, &r->input->exclude, user, n, RM_EXCLUDE_RANGE);
    *excluded = 0;
    while (status == RM_OK && cursor.item < n) {
        int64_t length;
        status = rm_cursor_take(&cursor, user, n, n, items, &length);
        FN(gather)(r, row, items, length, x);
        FN(count_tile)(c, x, length, items, 0, -1);
        *excluded += length;
    }
    return status;
}

/* Where the user's items and scores are kept; 0 when memory is short. Without an order, items are read once,
 * and `ahead` has room for them if there are any. */
static int FN(reserve)(FN(counter) *c, rm_rank_scratch *s, int64_t n)
{
    FN(user) *u = &c->user;
    u->settled = c->out.position != NULL;
    u->lean = n >= MANY && (u->settled || c->places);
    if (u->lean) {
        u->score = (TYPE *)c->out.grade;
        u->item = rm_reserve(&s->scores, n, sizeof *u->item);
        return u->item != NULL;
    }
    u->score = rm_reserve(&s->scores, n, sizeof *u->score);
    u->item = u->settled || n == 0 ? rm_reserve(&s->items, n, sizeof *u->item) : c->out.ahead;
    return u->score && u->item;
}

/* The user's relevant items with their scores; *n holds the room for them, then their number. */
static rm_code FN(collect)(
    FN(counter) *c, const rm_ranker *r, rm_rank_scratch *s, const char *row, int64_t user,
                       int64_t n_items, int64_t *n)
{
    const rm_input *input = r->input;
    FN(user) *u = &c->user;
    rm_code status;
    if (!FN(reserve)(c, s, *n))
        return rm_stop(RM_NO_MEMORY, -1, -1, 0.0);
    u->grade = u->lean ? NULL : c->out.grade;
    status = rm_find_relevant(input, c->kernels, user, n_items, u->item, u->grade, n);
    if (status != RM_OK)
        return status;
    FN(gather)(r, row, u->item, *n, u->score);
    u->n = *n;
    if (!u->settled && !u->lean)
        u->item = NULL;
    u->keys = input->keys;
    if (u->keys.data && input->offsets)
        u->keys.data += input->offsets[user] * u->keys.stride;
    c->searching = FN(is_searched)(c->kernels, u);
    if (!c->searching)
        return status;
    if (*n >= MANY && !u->item && FN(one_grade)(u))
        FN(sort_plain)(u);
    else
        FN(sort_scores)(u, 0, *n);
    return status;
}

/* The scores of a lean user have been counted, and give way to the grades. Entries never overtake items. */
static rm_code FN(restore_grades)(const FN(counter) *c, const rm_input *input, int64_t user)
{
    rm_cursor cursor;
    rm_code status = RM_OK;
    int64_t i;
    for (i = 0; i < c->user.n && status == RM_OK; i++) {
        double *grade = &c->out.grade[i];
        int32_t item = c->user.item[i];
        if (stopped_inside(i))
            return rm_stop(RM_INTERRUPTED, -1, -1, 0.0);
        if (input->labels.data) {
            rm_load_f64(&input->labels, rm_row(&input->labels, input->offsets, user), item, 1, grade);
            continue;
        }
        status = rm_cursor_seek(&cursor, &input->relevant, user, item, rm_row_length(input, user));
        *grade = cursor.value;
    }
    return status;
}

static rm_code FN(finish_row)(
    FN(counter) *c, const rm_input *input, int64_t user, int64_t n, int64_t *candidates)
{
    int64_t kept = FN(count_kept)(c);
    rm_code status = c->user.lean ? FN(restore_grades)(c, input, user) : RM_OK;
    FN(finish)(c, kept, n, candidates);
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

/* Ties are settled if `out` has room for positions; `places` is that room as long as it is not needed. */
static rm_code FN(rank_as)(const rm_ranker *r, rm_rank_scratch *s, int64_t user, const rm_entries *out,
                       int32_t *places, int64_t *n_entries, int64_t *candidates)
{
    const rm_input *input = r->input;
    const char *row = rm_row(&input->scores, input->offsets, user);
    int64_t n = rm_row_length(input, user), excluded = 0;
    FN(counter) c;
    rm_code status;
    c.kernels = r->run->kernels;
    c.out = *out;
    c.places = places;
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
        status = FN(finish_row)(&c, input, user, n - excluded, candidates);
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
    status = FN(rank_as)(r, s, user, &plain, out->position, n_entries, candidates);
    if (status != RM_OK || !out->position)
        return status;
    for (i = 0; i < *n_entries; i++) {
        out->position[i] = out->ahead[i];
        any_tied |= out->tied[i] > 1;
    }
    if (!any_tied)
        return status;
    *n_entries = room;
    return FN(rank_as)(r, s, user, out, NULL, n_entries, candidates);
}
