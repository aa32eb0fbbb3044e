/* Descending radix sort of many scores of the kernel type T, with a second buffer. Digits of 8 bits; one
 * that is the same everywhere is passed over. The including file is typed.h's. */

/* An unsigned integer that orders as the score does, largest score first, and back. */
static inline FN(radix_key) FN(to_key)(TYPE score)
{
    FN(radix_key) bits, sign = (FN(radix_key))1 << (8 * sizeof bits - 1);
    memcpy(&bits, &score, sizeof bits);
    if (FN(is_float) && bits & sign)
        return bits;
    return ~(bits ^ sign);
}

static inline TYPE FN(from_key)(FN(radix_key) key)
{
    FN(radix_key) sign = (FN(radix_key))1 << (8 * sizeof key - 1);
    TYPE score;
    if (!(FN(is_float) && key & sign))
        key = ~key ^ sign;
    memcpy(&score, &key, sizeof score);
    return score;
}

#define DIGITS(T) ((int)sizeof(FN(radix_key)))

static void FN(radix_sort)(TYPE *scores, TYPE *other, int64_t n)
{
    uint32_t counts[DIGITS(T)][256] = {{0}};
    int64_t i;
    FN(radix_key) *from = (FN(radix_key) *)scores, *to = (FN(radix_key) *)other;
    int d, digit;
    for (i = 0; i < n; i++) {
        FN(radix_key) key = FN(to_key)(scores[i]);
        memcpy(&from[i], &key, sizeof key);
        for (d = 0; d < DIGITS(T); d++)
            counts[d][key >> 8 * d & 255]++;
    }
    for (d = 0; d < DIGITS(T); d++) {
        uint32_t *count = counts[d], at = 0;
        FN(radix_key) *swap;
        if (n > 0 && count[from[0] >> 8 * d & 255] == (uint32_t)n)
            continue;
        if (n > RM_STOP_EVERY && rm_stopped())
            return;
        for (digit = 0; digit < 256; digit++) {
            uint32_t here = count[digit];
            count[digit] = at;
            at += here;
        }
        for (i = 0; i < n; i++)
            to[count[from[i] >> 8 * d & 255]++] = from[i];
        swap = from;
        from = to;
        to = swap;
    }
    for (i = 0; i < n; i++) { /* `from` may be either buffer */
        TYPE score = FN(from_key)(from[i]);
        memcpy(&scores[i], &score, sizeof score);
    }
}
