/* A user with very many relevant items, for the kernel type T: candidates are sorted in batches, and each
 * batch is merged with the entries. In order, no search leaves the cache. */

/* With one grade throughout, only the scores need to be moved. `other` has room for as many. */
static int FN(sort_plain)(FN(user) *u, TYPE *other)
{
    int64_t i;
    if (!other)
        return 0;
    for (i = 1; i < u->n; i++)
        if (u->grade[i] != u->grade[0])
            return 0;
    FN(radix_sort)(u->score, other, u->n);
    return 1;
}

/* Room to sort n scores through, or NULL if there is none to spare: then they are sorted in place. */
static TYPE *FN(second_buffer)(const FN(counter) *c, rm_rank_scratch *s, int64_t n)
{
    if (sizeof(TYPE) == sizeof *c->out.tied)
        return (TYPE *)c->out.tied;
    return n <= BATCH ? rm_reserve(&s->batch, n, sizeof(TYPE)) : NULL;
}

/* A tile of the row: in place where the array allows, else converted into the scratch. */
static const TYPE *FN(tile)(const rm_ranker *r, rm_rank_scratch *s, const char *row, int64_t start, int64_t n)
{
    if (r->in_place)
        return (const TYPE *)row + start;
    FN(rm_load)(&r->input->scores, row, start, n, (TYPE *)s->tile);
    return (const TYPE *)s->tile;
}

static rm_code FN(check_numbers)(const FN(counter) *c, const TYPE *x, int64_t n, int64_t user, int64_t start)
{
    int64_t j;
    if (c->kernels->FN(has_nan)(x, n))
        for (j = 0; j < n; j++)
            if (x[j] != x[j])
                return rm_stop(RM_NAN_SCORE, user, start + j, 0.0);
    return RM_OK;
}

/* The same from `low` on, for a v below those before: near steps first. */
static inline int64_t FN(next_bucket)(const TYPE *score, int64_t low, int64_t n, TYPE v)
{
    int64_t step = 1;
    while (low + step <= n && score[low + step - 1] > v) {
        low += step;
        step *= 2;
    }
    return low + FN(bucket)(score + low, step - 1 < n - low ? step - 1 : n - low, v);
}

/* Adds sorted candidates, best first, as FN(search) adds any. */
static void FN(merge)(const FN(user) *u, const TYPE *x, int64_t n, rm_entries *e)
{
    int64_t b = 0, j;
    for (j = 0; j < n; j++) {
        b = FN(next_bucket)(u->score, b, u->n, x[j]);
        if (b == u->n)
            return;
        e->ahead[b]++;
        e->tied[b] += u->score[b] == x[j];
    }
}

static rm_code FN(merge_row)(
    FN(counter) *c, const rm_ranker *r, rm_rank_scratch *s, const char *row, int64_t user,
                         int64_t n)
{
    int64_t room = n < BATCH ? n : BATCH, start, at;
    TYPE *batch = rm_reserve(&s->batch, 2 * room, sizeof *batch);
    if (!batch)
        return rm_stop(RM_NO_MEMORY, -1, -1, 0.0);
    for (start = 0; start < n; start += BATCH) {
        int64_t length = n - start < BATCH ? n - start : BATCH;
        rm_code status;
        for (at = 0; at < length; at += RM_TILE) {
            int64_t tile = length - at < RM_TILE ? length - at : RM_TILE;
            memcpy(batch + at, FN(tile)(r, s, row, start + at, tile), (size_t)tile * sizeof *batch);
        }
        status = FN(check_numbers)(c, batch, length, user, start);
        if (status != RM_OK)
            return status;
        FN(radix_sort)(batch, batch + room, length);
        FN(merge)(&c->user, batch, length, &c->out);
        if (stopped_inside(start))
            return rm_stop(RM_INTERRUPTED, -1, -1, 0.0);
    }
    return RM_OK;
}
