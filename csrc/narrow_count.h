/* Counting by rounded scores, for the kernel type T: see narrow.h. */

/* 0 where the thresholds cannot be told apart by 16 bits, or are not finite. */
static int FN(make_narrowing)(const TYPE *t, int64_t p, FN(narrowing) *by)
{
    TYPE low = t[0], high = t[0], span;
    int64_t i;
    for (i = 1; i < p; i++) {
        low = t[i] < low ? t[i] : low;
        high = t[i] > high ? t[i] : high;
    }
    span = high - low;
    by->middle = low + span / 2;
    by->scale = NARROW_SPAN / span;
    by->top = high + span / NARROW_MARGIN;
    return span > 0 && by->scale > 0 && isfinite(by->scale) && by->top > high && isfinite(by->top);
}

/* Adds to both counts what full scores make of a group in which some rounded one is equal. */
static void FN(look_closer)(const TYPE *x, const int16_t *q, TYPE t, int16_t rounded, int32_t *above,
                        int32_t *at_least)
{
    __m256i threshold = _mm256_set1_epi16(rounded);
    int64_t j, i;
    for (j = 0; j < NARROW_BLOCK; j += 16) {
        __m256i v = _mm256_loadu_si256((const __m256i *)(const void *)(q + j));
        if (!_mm256_movemask_epi8(_mm256_cmpeq_epi16(v, threshold)))
            continue;
        for (i = j; i < j + 16; i++) {
            *above += (x[i] > t) - (q[i] > rounded);
            *at_least += (x[i] >= t) - (q[i] > rounded);
        }
    }
}

/* Counts a block against up to three thresholds. */
static void
FN(count_block)(const TYPE *x, const int16_t *q, const TYPE *t, const int16_t *rounded, int64_t width,
                        int32_t sign, int32_t *above, int32_t *at_least)
{
    int32_t higher[4], equal[4];
    int64_t w;
    count_up_to_three(q, rounded, width, higher, equal);
    for (w = 0; w < width; w++) {
        int32_t both[2] = {higher[w], higher[w]};
        if (equal[w] > NARROW_CLOSE) {
            NAME(FN(count))(x, NARROW_BLOCK, t + w, 1, sign, above + w, at_least + w);
            continue;
        }
        if (equal[w])
            FN(look_closer)(x, q, t[w], rounded[w], &both[0], &both[1]);
        above[w] += sign * both[0];
        at_least[w] += sign * both[1];
    }
}

/* A whole tile; 0 where rounding does not help. */
static int FN(count_rounded)(const TYPE *x, const TYPE *t, int64_t p, int32_t sign, int32_t *above,
                         int32_t *at_least)
{
    int16_t q[NARROW_BLOCK], rounded[NARROW_MOST];
    FN(narrowing) by;
    int64_t start, i;
    if (p > NARROW_MOST || !FN(make_narrowing)(t, p, &by))
        return 0;
    for (i = 0; i < p; i++) /* as FN(narrow) does it; none is above the top */
        rounded[i] = (int16_t)((t[i] - by.middle) * by.scale);
    if (narrow_ties(rounded, p))
        return 0;
    for (start = 0; start < RM_TILE; start += NARROW_BLOCK) {
        FN(narrow)(&by, x + start, q);
        for (i = 0; i < p; i += 3)
            FN(count_block)(x + start, q, t + i, rounded + i, p - i < 3 ? p - i : 3, sign, above + i,
                        at_least + i);
    }
    return 1;
}

static void NAME(
    FN(count_long))(const TYPE *x, int64_t n, const TYPE *t, int64_t p, int32_t sign, int32_t *above,
                             int32_t *at_least)
{
    if (n < RM_TILE || p < NARROW_LEAST || !FN(count_rounded)(x, t, p, sign, above, at_least))
        NAME(FN(count))(x, n, t, p, sign, above, at_least);
}
