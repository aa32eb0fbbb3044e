/* Scores rounded to bytes, for counts that are exact: AVX2 and FMA only. A vector holds 32 of them, instead
 * of eight or four scores. Rounding is monotonic, so it can only mislead about a score that rounds as some
 * threshold does: those are set aside, and counted at full width. */
#include <immintrin.h>
#include <math.h>

#define NARROW_LEAST 6      /* thresholds from which it pays */
#define NARROW_MOST 256     /* thresholds there is room for */
#define NARROW_GROUP 32     /* thresholds that share a rounding */
#define NARROW_SHORTEST 512 /* scores from which it pays */
#define NARROW_BLOCK 512    /* scores after which it is asked whether it does */
#define NARROW_STEP 64      /* scores at a time: two vectors of bytes */
#define NARROW_SPAN 250     /* from the least threshold, near -125, to the greatest */
#define NARROW_ROOM 4194304 /* so many spans above all thresholds a number still has a place */

#define INLINED static inline __attribute__((always_inline))
typedef int8_t bytes __attribute__((vector_size(32), aligned(1), may_alias));
typedef uint8_t byte_counts __attribute__((vector_size(32)));

/* A score x becomes x * scale + shift; the top is the greatest for which that fits 32 bits. */
typedef struct {
    float scale, shift, top;
} narrowing_f32;

typedef struct {
    double scale, shift, top;
} narrowing_f64;

INLINED __m256i narrow_eight_f32(const narrowing_f32 *by, const float *x)
{
    __m256 scale = _mm256_set1_ps(by->scale), shift = _mm256_set1_ps(by->shift);
    return _mm256_cvtps_epi32(_mm256_fmadd_ps(_mm256_loadu_ps(x), scale, shift));
}

INLINED __m128i narrow_four(const narrowing_f64 *by, const double *x)
{
    __m256d scale = _mm256_set1_pd(by->scale), shift = _mm256_set1_pd(by->shift);
    return _mm256_cvtpd_epi32(_mm256_fmadd_pd(_mm256_loadu_pd(x), scale, shift));
}

INLINED __m256i narrow_eight_f64(const narrowing_f64 *by, const double *x)
{
    return _mm256_set_m128i(narrow_four(by, x + 4), narrow_four(by, x));
}

/* Numbers of 32 bits made bytes; those that do not fit become the least or the greatest. *least is that of 16
 * bits and its former self. Packing works on each half of a vector alone: here bytes keep the order. */
INLINED __m256i pack_bytes(__m256i a, __m256i b, __m256i c, __m256i d, __m256i *least)
{
    __m256i ab = _mm256_packs_epi32(a, b), cd = _mm256_packs_epi32(c, d);
    *least = _mm256_min_epi16(*least, _mm256_min_epi16(ab, cd));
    return _mm256_permutevar8x32_epi32(_mm256_packs_epi16(ab, cd), _mm256_setr_epi32(0, 4, 1, 5, 2, 6, 3, 7));
}

/* Whether a number did not fit 16 bits, or was none. */
INLINED int has_least(__m256i least)
{
    return _mm256_movemask_epi8(_mm256_cmpeq_epi16(least, _mm256_set1_epi16(INT16_MIN))) != 0;
}

/* Where the bits of a mask are, added to `at` and to what is there already; n, and how many. Three at a time:
 * whether there are more can be foretold, how many there are cannot. */
INLINED int64_t take_bits(uint64_t mask, int64_t at, uint16_t *places, int64_t n)
{
    const int64_t end = n + __builtin_popcountll(mask);
    do {
        int i;
        for (i = 0; i < 3; i++, mask &= mask - 1)
            places[n + i] = (uint16_t)(at + (int64_t)_tzcnt_u64(mask));
        n += 3;
    } while (mask);
    return end;
}

/* A set of bytes: those >= 0 and those below, a bit for the upper half of a byte in the row of its lower. */
typedef struct {
    uint8_t rows[2][16];
} byte_set;

static void make_set(const int8_t *members, int64_t n, byte_set *set)
{
    int64_t i;
    memset(set, 0, sizeof *set);
    for (i = 0; i < n; i++) {
        uint8_t member = (uint8_t)members[i];
        set->rows[member >> 7][member & 15] |= (uint8_t)(1 << (member >> 4 & 7));
    }
}

/* -1 where a byte is in the set. A shuffle looks up the lower half of bytes that are >= 0, else gives 0. */
INLINED __m256i members(const byte_set *set, __m256i q)
{
    const __m128i powers = _mm_setr_epi8(1, 2, 4, 8, 16, 32, 64, -128, 1, 2, 4, 8, 16, 32, 64, -128);
    __m256i rows[2];
    __m256i upper = _mm256_and_si256(_mm256_srli_epi16(q, 4), _mm256_set1_epi8(15));
    __m256i bit = _mm256_shuffle_epi8(_mm256_broadcastsi128_si256(powers), upper);
    int i;
    for (i = 0; i < 2; i++)
        rows[i] = _mm256_broadcastsi128_si256(_mm_loadu_si128((const __m128i *)(const void *)set->rows[i]));
    rows[0] = _mm256_shuffle_epi8(rows[0], q);
    rows[1] = _mm256_shuffle_epi8(rows[1], _mm256_xor_si256(q, _mm256_set1_epi8(-128)));
    return _mm256_cmpeq_epi8(_mm256_and_si256(_mm256_or_si256(rows[0], rows[1]), bit), bit);
}

/* Adds how many of n <= RM_TILE bytes are above each of `width` thresholds. */
INLINED void count_bytes(const int8_t *q, int64_t n, const int8_t *t, const int width, int32_t sign,
                         int32_t *above, int32_t *at_least)
{
    bytes threshold[5];
    byte_counts lanes[5] = {{0}};
    int64_t j;
    int w;
    for (w = 0; w < width; w++)
        threshold[w] = (bytes){0} + t[w];
    _Pragma("GCC unroll 2") for (j = 0; j < n; j += (int)sizeof(bytes))
    {
        const bytes v = *(const bytes *)(q + j);
        for (w = 0; w < width; w++) /* a comparison gives -1 where it holds */
            lanes[w] -= (byte_counts)(v > threshold[w]);
    }
    for (w = 0; w < width; w++) {
        quads sums = (quads)_mm256_sad_epu8((__m256i)lanes[w], _mm256_setzero_si256());
        int32_t sum = (int32_t)(sums[0] + sums[1] + sums[2] + sums[3]);
        above[w] += sign * sum;
        at_least[w] += sign * sum;
    }
}
_Static_assert(RM_TILE / sizeof(bytes) <= UINT8_MAX, "a byte counts all vectors of a tile");

static void count_all_bytes(const int8_t *q, int64_t n, const int8_t *t, int64_t p, int32_t sign,
                            int32_t *above, int32_t *at_least)
{
    int64_t i;
    for (i = 0; i + 5 <= p; i += 5)
        count_bytes(q, n, t + i, 5, sign, above + i, at_least + i);
    switch (p - i) {
    case 4:
        count_bytes(q, n, t + i, 4, sign, above + i, at_least + i);
        break;
    case 3:
        count_bytes(q, n, t + i, 3, sign, above + i, at_least + i);
        break;
    case 2:
        count_bytes(q, n, t + i, 2, sign, above + i, at_least + i);
        break;
    case 1:
        count_bytes(q, n, t + i, 1, sign, above + i, at_least + i);
        break;
    default:
        break;
    }
}
