/* A user with very many relevant items, for the kernel type T: candidates are sorted in batches, and each
 * batch is merged with the entries. In order, no search leaves the cache. */

static int FN(one_grade)(const FN(user) *u)
{
    int64_t i;
    for (i = 1; i < u->n; i++)
        if (u->grade[i] != u->grade[0])
            return 0;
    return u->n > 0;
}

static void FN(fill_grade)(FN(user) *u, double grade)
{
    int64_t i;
    for (i = 0; i < u->n; i++)
        u->grade[i] = grade;
}

/* With one grade throughout, only the scores need to be sorted, and the grades are room to sort them in. */
static void FN(sort_plain)(FN(user) *u)
{
    double grade = u->grade[0];
    FN(radix_sort)(u->score, (TYPE *)u->grade, u->n);
    FN(fill_grade)(u, grade);
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
        if (j % RM_STOP_EVERY == 0 && j && rm_stopped())
            return;
        b = FN(next_bucket)(u->score, b, u->n, x[j]);
        if (b == u->n)
            return;
        e->ahead[b]++;
        e->tied[b] += u->score[b] == x[j];
    }
}

/* Copies candidates out of the row; none may be NaN. */
static rm_code FN(read_batch)(const FN(counter) *c, const rm_ranker *r, rm_rank_scratch *s, const char *row,
                          int64_t user, int64_t start, int64_t n, TYPE *batch)
{
    int64_t at;
    for (at = 0; at < n; at += RM_TILE) {
        int64_t length = n - at < RM_TILE ? n - at : RM_TILE;
        const TYPE *x = FN(tile)(r, s, row, start + at, length);
        rm_code status = FN(check_numbers)(c, x, length, user, start + at);
        if (status != RM_OK)
            return status;
        memcpy(batch + at, x, (size_t)length * sizeof *batch);
        if (stopped_inside(start + at))
            return rm_stop(RM_INTERRUPTED, -1, -1, 0.0);
    }
    return RM_OK;
}

/* Batches sorted in `room` for twice as many scores. */
static rm_code FN(merge_batches)(FN(counter) *c, const rm_ranker *r, rm_rank_scratch *s, const char *row,
                             int64_t user, int64_t n, TYPE *room, int64_t batch)
{
    int64_t start;
    for (start = 0; start < n; start += batch) {
        int64_t length = n - start < batch ? n - start : batch;
        rm_code status = FN(read_batch)(c, r, s, row, user, start, length, room);
        if (status != RM_OK)
            return status;
        FN(radix_sort)(room, room + batch, length);
        FN(merge)(&c->user, room, length, &c->out);
    }
    return RM_OK;
}

/* Few large batches are better than many. They go where places will stand, or grades that are all one. */
static rm_code FN(merge_row)(
    FN(counter) *c, const rm_ranker *r, rm_rank_scratch *s, const char *row, int64_t user,
                         int64_t n)
{
    FN(user) *u = &c->user;
    int64_t size = (int64_t)sizeof(TYPE), large;
    double grade;
    rm_code status;
    TYPE *room;
    if (u->lean) {
        int odd = (uintptr_t)c->places % sizeof(TYPE) != 0;
        large = (u->n - odd) * (int64_t)sizeof *c->places / (2 * size);
        if (large > BATCH)
            return FN(merge_batches)(c, r, s, row, user, n, (TYPE *)(void *)(c->places + odd), large);
    } else if (FN(one_grade)(u)) {
        large = u->n * (int64_t)sizeof *u->grade / (2 * size);
        grade = u->grade[0];
        if (large > BATCH) {
            status = FN(merge_batches)(c, r, s, row, user, n, (TYPE *)u->grade, large);
            FN(fill_grade)(u, grade);
            return status;
        }
    }
    room = rm_reserve(&s->batch, 2 * BATCH, sizeof *room);
    if (!room)
        return rm_stop(RM_NO_MEMORY, -1, -1, 0.0);
    return FN(merge_batches)(c, r, s, row, user, n, room, BATCH);
}
