/* Scores rounded to 16 bits, for counts that are exact: AVX2 only. Sixteen go to a vector instead of eight or
 * four; those that round as a threshold does are looked at again. */
#include <immintrin.h>
#include <math.h>

#define NARROW_LEAST 8   /* thresholds from which it pays to round a whole tile */
#define NARROW_MOST 256  /* thresholds there is room for */
#define NARROW_BLOCK 512 /* scores counted at a time: few have an equal one, and fewer two */
#define NARROW_CLOSE 8   /* equal ones from which the full width is as fast */

/* Thresholds round to -32,000 .. 32,000, and all above them to a little more. */
#define NARROW_SPAN 64000
#define NARROW_MARGIN 128

typedef struct {
    float middle, scale, top;
} narrowing_f32;

typedef struct {
    double middle, scale, top;
} narrowing_f64;

/* Rounds a block of scores, in an order within each 16 that does not matter. Every step is
 * monotonic; what is far below becomes the least number of all. */
static void narrow_f32(const narrowing_f32 *by, const float *x, int16_t *out)
{
    __m256 middle = _mm256_set1_ps(by->middle), scale = _mm256_set1_ps(by->scale);
    __m256 top = _mm256_set1_ps(by->top);
    int64_t j;
    for (j = 0; j < NARROW_BLOCK; j += 16) {
        __m256 a = _mm256_min_ps(_mm256_loadu_ps(x + j), top);
        __m256 b = _mm256_min_ps(_mm256_loadu_ps(x + j + 8), top);
        __m256i c = _mm256_cvttps_epi32(_mm256_mul_ps(_mm256_sub_ps(a, middle), scale));
        __m256i d = _mm256_cvttps_epi32(_mm256_mul_ps(_mm256_sub_ps(b, middle), scale));
        _mm256_storeu_si256((__m256i *)(void *)(out + j), _mm256_packs_epi32(c, d));
        __builtin_prefetch(x + j + RM_TILE, 0, 2); /* of the next tile */
    }
}

static inline __m128i narrow_four(const narrowing_f64 *by, const double *x)
{
    __m256d a = _mm256_min_pd(_mm256_loadu_pd(x), _mm256_set1_pd(by->top));
    __m256d b = _mm256_sub_pd(a, _mm256_set1_pd(by->middle));
    return _mm256_cvttpd_epi32(_mm256_mul_pd(b, _mm256_set1_pd(by->scale)));
}

static void narrow_f64(const narrowing_f64 *by, const double *x, int16_t *out)
{
    int64_t j;
    for (j = 0; j < NARROW_BLOCK; j += 16) {
        __m256i a = _mm256_set_m128i(narrow_four(by, x + j), narrow_four(by, x + j + 4));
        __m256i b = _mm256_set_m128i(narrow_four(by, x + j + 8), narrow_four(by, x + j + 12));
        _mm256_storeu_si256((__m256i *)(void *)(out + j), _mm256_packs_epi32(a, b));
        __builtin_prefetch(x + j + RM_TILE, 0, 2);
        __builtin_prefetch(x + j + RM_TILE + 8, 0, 2);
    }
}

typedef int16_t shorts __attribute__((vector_size(32), aligned(2), may_alias));

/* Sums over the lanes of four vectors of 16-bit counts. */
static inline void sum_narrow(const __m256i *v, int32_t *sums)
{
    __m256i one = _mm256_set1_epi16(1);
    __m256i ab = _mm256_hadd_epi32(_mm256_madd_epi16(v[0], one), _mm256_madd_epi16(v[1], one));
    __m256i cd = _mm256_hadd_epi32(_mm256_madd_epi16(v[2], one), _mm256_madd_epi16(v[3], one));
    __m256i abcd = _mm256_hadd_epi32(ab, cd);
    __m128i sum = _mm_add_epi32(_mm256_castsi256_si128(abcd), _mm256_extracti128_si256(abcd, 1));
    _mm_storeu_si128((__m128i *)(void *)sums, sum);
}

/* above[w], equal[w]: rounded scores that are > t[w], or equal to it, for `width` thresholds, up to three:
 * with four, the registers would not do. */
static inline __attribute__((always_inline)) void
count_narrow(const int16_t *q, const int16_t *t, const int width, int32_t *above, int32_t *equal)
{
    shorts threshold[4], above_lanes[4] = {{0}}, equal_lanes[4] = {{0}};
    int64_t j;
    int w;
    for (w = 0; w < width; w++)
        threshold[w] = (shorts){0} + t[w];
    for (j = 0; j < NARROW_BLOCK; j += 16) {
        const shorts v = *(const shorts *)(q + j);
        for (w = 0; w < width; w++) { /* a comparison gives -1 where it holds */
            above_lanes[w] -= v > threshold[w];
            equal_lanes[w] -= v == threshold[w];
        }
    }
    sum_narrow((const __m256i *)above_lanes, above);
    sum_narrow((const __m256i *)equal_lanes, equal);
}

static void count_up_to_three(const int16_t *q, const int16_t *t, int64_t width, int32_t *above,
                              int32_t *equal)
{
    switch (width) {
    case 1:
        count_narrow(q, t, 1, above, equal);
        break;
    case 2:
        count_narrow(q, t, 2, above, equal);
        break;
    default:
        count_narrow(q, t, 3, above, equal);
    }
}

/* Whether some of the first thresholds are one number, as where many scores tie: then most would have to be
 * looked at again. */
static int narrow_ties(const int16_t *t, int64_t p)
{
    int64_t i, j;
    for (i = 1; i < p && i < 16; i++)
        for (j = 0; j < i; j++)
            if (t[i] == t[j])
                return 1;
    return 0;
}
