/* Scores rounded to bytes, for counts that are exact: AVX2 only. A vector holds 32 of them, instead of eight
 * or four scores. Rounding is monotonic, so it can only mislead about a score that rounds as some threshold
 * does: those are set aside, and counted at full width. */
#include <immintrin.h>
#include <math.h>

#define NARROW_LEAST 6      /* thresholds from which it pays */
#define NARROW_MOST 256     /* thresholds there is room for */
#define NARROW_GROUP 32     /* thresholds that share a rounding */
#define NARROW_SHORTEST 512 /* scores from which it pays */
#define NARROW_BLOCK 512    /* scores after which it is asked whether it does */
#define NARROW_VECTOR 32    /* bytes of a vector */
#define NARROW_SPAN 250     /* steps from the least threshold, near -125, to the greatest */
#define NARROW_MARGIN 100   /* what is above all by more than 1 / 100 of that rounds alike */

#define INLINED static inline __attribute__((always_inline))
typedef int8_t bytes __attribute__((vector_size(NARROW_VECTOR), aligned(1), may_alias));
typedef f32_vector vector_f32;
typedef f64_vector vector_f64;

typedef struct {
    float middle, scale, top;
} narrowing_f32;

typedef struct {
    double middle, scale, top;
} narrowing_f64;

/* Eight rounded scores, which also go to *sum: it becomes NaN where one of them is. Every step is monotonic;
 * what is far below becomes the least number of all, and a number above the top, but no NaN, gives way to it.
 */
INLINED __m256i narrow_eight_f32(const narrowing_f32 *by, const float *x, f32_vector *sum)
{
    f32_vector a = _mm256_min_ps(_mm256_set1_ps(by->top), _mm256_loadu_ps(x));
    a = (a - by->middle) * by->scale;
    *sum += a;
    return _mm256_cvtps_epi32(a);
}

INLINED __m128i narrow_four(const narrowing_f64 *by, const double *x, f64_vector *sum)
{
    f64_vector a = _mm256_min_pd(_mm256_set1_pd(by->top), _mm256_loadu_pd(x));
    a = (a - by->middle) * by->scale;
    *sum += a;
    return _mm256_cvtpd_epi32(a);
}

INLINED __m256i narrow_eight_f64(const narrowing_f64 *by, const double *x, f64_vector *sum)
{
    return _mm256_set_m128i(narrow_four(by, x + 4, sum), narrow_four(by, x, sum));
}

/* Packing works on each half of a vector alone: here the bytes come in the order of the scores. */
INLINED __m256i pack_bytes(__m256i a, __m256i b, __m256i c, __m256i d)
{
    __m256i packed = _mm256_packs_epi16(_mm256_packs_epi32(a, b), _mm256_packs_epi32(c, d));
    return _mm256_permutevar8x32_epi32(packed, _mm256_setr_epi32(0, 4, 1, 5, 2, 6, 3, 7));
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

/* Adds how many of n <= RM_TILE bytes are above each of up to four. */
INLINED void count_bytes(const int8_t *q, int64_t n, const int8_t *t, const int width, int32_t sign,
                         int32_t *above, int32_t *at_least)
{
    bytes threshold[4], lanes[4] = {{0}};
    quads sums[4] = {{0}};
    int64_t j;
    int w;
    for (w = 0; w < width; w++)
        threshold[w] = (bytes){0} + t[w];
    for (j = 0; j < n; j += NARROW_VECTOR) {
        const bytes v = *(const bytes *)(q + j);
        for (w = 0; w < width; w++) /* a comparison gives -1 where it holds */
            lanes[w] -= v > threshold[w];
    }
    for (w = 0; w < width; w++)
        sums[w] = (quads)_mm256_sad_epu8((__m256i)lanes[w], _mm256_setzero_si256());
    NAME(sum_lanes)(sums, sums);
    for (w = 0; w < width; w++) {
        above[w] += sign * (int32_t)sums[0][w];
        at_least[w] += sign * (int32_t)sums[0][w];
    }
}
_Static_assert(RM_TILE / NARROW_VECTOR <= UINT8_MAX, "a byte counts all vectors of a tile");

static void count_all_bytes(const int8_t *q, int64_t n, const int8_t *t, int64_t p, int32_t sign,
                            int32_t *above, int32_t *at_least)
{
    int64_t i;
    for (i = 0; i + 4 <= p; i += 4)
        count_bytes(q, n, t + i, 4, sign, above + i, at_least + i);
    switch (p - i) {
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
