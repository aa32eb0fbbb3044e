/* Counting by rounded scores, for the kernel type T: see narrow.h. */

typedef struct {
    FN(narrowing) by;
    int8_t thresholds[NARROW_MOST];
    byte_set set;                           /* of the thresholds */
    int8_t q[RM_TILE];                      /* rounded scores; those set aside are below all */
    uint16_t places[RM_TILE + NARROW_STEP]; /* of those set aside */
    TYPE close[RM_TILE];
    int64_t n_close;
} FN(rounding);

INLINED __m256i FN(narrow)(const FN(narrowing) *by, const TYPE *x, __m256i *least)
{
    __m256i a = FN(narrow_eight)(by, x), b = FN(narrow_eight)(by, x + 8);
    __m256i c = FN(narrow_eight)(by, x + 16), d = FN(narrow_eight)(by, x + 24);
    return pack_bytes(a, b, c, d, least);
}

/* 0 where thresholds are one number, or so far apart or so close that there is no scale. */
static int FN(make_narrowing)(const TYPE *t, int64_t p, FN(narrowing) *by)
{
    TYPE low = t[0], high = t[0], span;
    int64_t i;
    for (i = 1; i < p; i++) {
        low = t[i] < low ? t[i] : low;
        high = t[i] > high ? t[i] : high;
    }
    span = high - low;
    by->scale = NARROW_SPAN / span;
    by->shift = -(low + span / 2) * by->scale;
    by->top = high + span * NARROW_ROOM;
    return span > 0 && isfinite(by->scale) && isfinite(by->shift) && isfinite(by->top);
}

static void FN(round_thresholds)(FN(rounding) *r, const TYPE *t, int64_t p)
{
    TYPE padded[sizeof(bytes)] = {0};
    __m256i least = _mm256_setzero_si256();
    int64_t i, j;
    for (i = 0; i < p; i += (int)sizeof(bytes)) {
        for (j = 0; j < (int)sizeof(bytes) && i + j < p; j++)
            padded[j] = t[i + j];
        *(bytes *)(r->thresholds + i) = (bytes)FN(narrow)(&r->by, padded, &least);
    }
    make_set(r->thresholds, p, &r->set);
}

/* Rounds 32 scores, and sets those that round as a threshold below all; tells which. */
INLINED uint32_t FN(round_vector)(const FN(narrowing) *by, const byte_set *set, const TYPE *x, int8_t *q,
                              __m256i *least)
{
    __m256i all = FN(narrow)(by, x, least), close = members(set, all);
    *(bytes *)q = (bytes)_mm256_blendv_epi8(all, _mm256_set1_epi8(INT8_MIN), close);
    return (uint32_t)_mm256_movemask_epi8(close);
}

/* From `start` to `end`, in whole steps; 0 if a score has no place: NaN, or far above all thresholds. Far
 * below is the least number of all. */
static int FN(round_block)(FN(rounding) *r, const TYPE *x, int64_t start, int64_t end)
{
    const FN(narrowing) by = r->by; /* copies, as the bytes that are written might be these */
    const byte_set set = r->set;
    __m256i least = _mm256_setzero_si256();
    int64_t n_close = r->n_close, j;
    for (j = start; j < end; j += NARROW_STEP) {
        uint64_t first = FN(round_vector)(&by, &set, x + j, r->q + j, &least);
        uint64_t second = FN(round_vector)(&by, &set, x + j + 32, r->q + j + 32, &least);
        int i;
        n_close = take_bits(first | second << 32, j, r->places, n_close);
        for (i = 0; i < NARROW_STEP; i += 64 / (int)sizeof *x)
            __builtin_prefetch(x + j + i + RM_TILE, 0, 2); /* of the next tile */
    }
    r->n_close = n_close;
    return !has_least(least) || NAME(FN(next_above))(x, start, end, by.top) == end;
}

/* Measured: rounding costs as much as four thresholds, and then a quarter of what counting does. */
static int FN(pays)(const FN(rounding) *r, int64_t n, int64_t p) { return 4 * p * r->n_close <= n * (3 * p - 16); }

/* Rounds whole vectors; 0 where it does not help. */
static int FN(round_row)(FN(rounding) *r, const TYPE *x, int64_t whole, const TYPE *t, int64_t p)
{
    int64_t start;
    if (!FN(make_narrowing)(t, p, &r->by))
        return 0;
    FN(round_thresholds)(r, t, p);
    r->n_close = 0;
    for (start = 0; start < whole; start += NARROW_BLOCK) {
        int64_t end = whole - start < NARROW_BLOCK ? whole : start + NARROW_BLOCK;
        if (!FN(round_block)(r, x, start, end) || !FN(pays)(r, end, p))
            return 0;
    }
    return 1;
}

static void
FN(count_rounded)(const TYPE *x, int64_t n, const TYPE *t, int64_t p, int32_t sign, int32_t *above,
                          int32_t *at_least)
{
    FN(rounding) r;
    int64_t whole = n - n % NARROW_STEP, j;
    if (!FN(round_row)(&r, x, whole, t, p)) {
        NAME(FN(count))(x, n, t, p, sign, above, at_least);
        return;
    }
    for (j = whole; j < n; j++)
        r.places[r.n_close++] = (uint16_t)j;
    for (j = 0; j < r.n_close; j++)
        r.close[j] = x[r.places[j]];
    count_all_bytes(r.q, whole, r.thresholds, p, sign, above, at_least);
    NAME(FN(count))(r.close, r.n_close, t, p, sign, above, at_least);
}

/* order[i] = a threshold, such that none rounds to less than the one before. */
static void FN(order_thresholds)(const TYPE *t, int64_t p, uint8_t *order)
{
    FN(rounding) r;
    int32_t starts[257] = {0};
    int64_t i;
    for (i = 0; i < p; i++)
        order[i] = (uint8_t)i;
    if (!FN(make_narrowing)(t, p, &r.by))
        return;
    FN(round_thresholds)(&r, t, p);
    for (i = 0; i < p; i++)
        starts[r.thresholds[i] - INT8_MIN + 1]++;
    for (i = 1; i < 257; i++)
        starts[i] += starts[i - 1];
    for (i = 0; i < p; i++)
        order[starts[r.thresholds[i] - INT8_MIN]++] = (uint8_t)i;
}

/* Many thresholds, in groups of neighbours: the closer they are, the finer is their rounding. */
static void FN(count_groups)(const TYPE *x, int64_t n, const TYPE *t, int64_t p, int32_t sign, int32_t *above,
                         int32_t *at_least)
{
    const int64_t groups = (p + NARROW_GROUP - 1) / NARROW_GROUP, most = (p + groups - 1) / groups;
    uint8_t order[NARROW_MOST];
    int64_t start, i;
    FN(order_thresholds)(t, p, order);
    for (start = 0; start < p; start += most) {
        int64_t length = p - start < most ? p - start : most;
        int32_t both[2][NARROW_GROUP] = {{0}};
        TYPE group[NARROW_GROUP];
        for (i = 0; i < length; i++)
            group[i] = t[order[start + i]];
        FN(count_rounded)(x, n, group, length, sign, both[0], both[1]);
        for (i = 0; i < length; i++) {
            above[order[start + i]] += both[0][i];
            at_least[order[start + i]] += both[1][i];
        }
    }
}

/* At most a tile. */
static void NAME(
    FN(count_any))(const TYPE *x, int64_t n, const TYPE *t, int64_t p, int32_t sign, int32_t *above,
                            int32_t *at_least)
{
    if (n < NARROW_SHORTEST || p < NARROW_LEAST || p > NARROW_MOST)
        NAME(FN(count))(x, n, t, p, sign, above, at_least);
    else if (p <= NARROW_GROUP)
        FN(count_rounded)(x, n, t, p, sign, above, at_least);
    else
        FN(count_groups)(x, n, t, p, sign, above, at_least);
}
