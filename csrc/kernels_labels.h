/* Labels of one byte, 64 at a time as a mask of the relevant ones, for the instruction set of kernels.h. */

#if defined(__AVX2__)
#include <immintrin.h>
#define STEP 32
#elif defined(__SSE2__)
#include <emmintrin.h>
#define STEP 16
#endif

/* Compilers make no bit mask of a loop. Bit j: labels[j] is relevant. */
#if defined(__AVX2__)
static inline uint64_t NAME(step_mask)(const char *labels, int is_signed)
{
    __m256i x = _mm256_loadu_si256((const __m256i *)labels), zero = _mm256_setzero_si256();
    uint32_t mask =
        (uint32_t)_mm256_movemask_epi8(is_signed ? _mm256_cmpgt_epi8(x, zero) : _mm256_cmpeq_epi8(x, zero));
    return is_signed ? mask : ~mask;
}
#elif defined(__SSE2__)
static inline uint64_t NAME(step_mask)(const char *labels, int is_signed)
{
    __m128i x = _mm_loadu_si128((const __m128i *)labels), zero = _mm_setzero_si128();
    uint64_t mask =
        (uint64_t)_mm_movemask_epi8(is_signed ? _mm_cmpgt_epi8(x, zero) : _mm_cmpeq_epi8(x, zero));
    return is_signed ? mask : mask ^ 0xffff;
}
#endif

/* The last places of a row are read together with some before them, never beyond the row. */
static inline uint64_t NAME(label_mask)(const char *row, int64_t start, int64_t n, int is_signed)
{
    uint64_t mask = 0;
    int64_t j = start, end = n;
#ifdef STEP
    if (start + 64 <= n) {
        for (j = 0; j < 64; j += STEP)
            mask |= NAME(step_mask)(row + start + j, is_signed) << j;
        return mask;
    }
    for (; j + STEP <= end; j += STEP)
        mask |= NAME(step_mask)(row + j, is_signed) << (j - start);
    if (j < end && end >= STEP)
        return mask | NAME(step_mask)(row + end - STEP, is_signed) >> (STEP - (end - j)) << (j - start);
#else
    end = start + 64 < n ? start + 64 : n;
#endif
    for (; j < end; j++)
        mask |= (uint64_t)(is_signed ? (signed char)row[j] > 0 : row[j] != 0) << (j - start);
    return mask;
}

/* The places of the bits: AHEAD at a time without a question whether there are so many, which cannot be
 * foretold. What is written beyond `end` is overwritten later, or not read. */
#define AHEAD 8
static inline void NAME(list_ahead)(uint64_t mask, int32_t first, int32_t *items, const int32_t *end)
{
    const uint64_t last = (uint64_t)1 << 63; /* there is no lowest bit in 0 */
    int i;
    for (; items < end; items += AHEAD) {
        for (i = 0; i < AHEAD; i++, mask &= mask - 1)
            items[i] = first + __builtin_ctzll(mask | last);
    }
}

/* The sign is a constant in each copy of the loops. */
static inline int64_t NAME(find)(const char *row, int64_t n, int is_signed, int32_t first, int32_t *items,
                                 int64_t room)
{
    int64_t start, count = 0;
    for (start = 0; start < n; start += 64) {
        uint64_t mask = NAME(label_mask)(row, start, n, is_signed);
        int64_t end = count + __builtin_popcountll(mask);
        if (end > room)
            return -1;
        if (end + AHEAD <= room) {
            NAME(list_ahead)(mask, first + (int32_t)start, items + count, items + end);
            count = end;
        }
        for (; count < end; mask &= mask - 1)
            items[count++] = first + (int32_t)start + __builtin_ctzll(mask);
    }
    return count;
}

static int64_t NAME(find_labels)(const char *row, int64_t n, int is_signed, int32_t first, int32_t *items,
                                 int64_t room)
{
    return is_signed ? NAME(find)(row, n, 1, first, items, room) : NAME(find)(row, n, 0, first, items, room);
}

static inline int64_t NAME(count)(const char *row, int64_t n, int is_signed)
{
    int64_t start, count = 0;
    for (start = 0; start < n; start += 64)
        count += __builtin_popcountll(NAME(label_mask)(row, start, n, is_signed));
    return count;
}

static int64_t NAME(count_labels)(const char *row, int64_t n, int is_signed)
{
    return is_signed ? NAME(count)(row, n, 1) : NAME(count)(row, n, 0);
}
#undef STEP
