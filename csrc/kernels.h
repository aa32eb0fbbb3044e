/* The counting loops, written once in C and compiled once per instruction set. The including file defines
 * RM_ISA, the suffix and name of the set, and RM_CROSSOVER, which was measured (docs/decisions.md). Only
 * exact comparisons and integer sums, so any vector width gives the same result. */
#include <math.h>

#include "internal.h"
#include "resample.h"

#define JOIN_(a, b) a##_##b
#define JOIN(a, b) JOIN_(a, b)
#define NAME(base) JOIN(base, RM_ISA)
#define TEXT_(a) #a
#define TEXT(a) TEXT_(a)

/* Vectors in the C that GCC and Clang share, as wide as the registers. Left to itself the compiler sums
 * across lanes twice per threshold and row, which costs a short row more than its comparisons. Both counts of
 * a lane share one integer: a tile is short enough for half of its bits. */
#define LANES(T) ((int)(RM_VECTOR_BYTES / sizeof(rm_##T)))
typedef uint64_t quads __attribute__((vector_size(RM_VECTOR_BYTES), may_alias));
typedef int32_t halves __attribute__((vector_size(RM_VECTOR_BYTES / 2), aligned(4), may_alias));
#define HALF(LANE) (4 * sizeof(LANE))
#define DEFINE_VECTORS(T, LANE)                                                            \
    typedef rm_##T T##_vector                                                              \
        __attribute__((vector_size(RM_VECTOR_BYTES), aligned(sizeof(rm_##T)), may_alias)); \
    typedef LANE T##_mask __attribute__((vector_size(RM_VECTOR_BYTES), aligned(sizeof(LANE)), may_alias));

/* sums[i] = the sum over the lanes of v[i], four at a time. */
#ifdef __clang__
#define PICK(a, b, ...) __builtin_shufflevector(a, b, __VA_ARGS__)
#else
#define PICK(a, b, ...) __builtin_shuffle(a, b, (quads){__VA_ARGS__})
#endif
static inline void NAME(sum_lanes)(const quads *v, quads *sums)
{
#if RM_VECTOR_BYTES == 32
    quads ab = PICK(v[0], v[1], 0, 4, 2, 6) + PICK(v[0], v[1], 1, 5, 3, 7);
    quads cd = PICK(v[2], v[3], 0, 4, 2, 6) + PICK(v[2], v[3], 1, 5, 3, 7);
    sums[0] = PICK(ab, cd, 0, 1, 4, 5) + PICK(ab, cd, 2, 3, 6, 7);
#else
    sums[0] = PICK(v[0], v[1], 0, 2) + PICK(v[0], v[1], 1, 3);
    sums[1] = PICK(v[2], v[3], 0, 2) + PICK(v[2], v[3], 1, 3);
#endif
}

/* Both counts of a threshold, `bits` wide, from its sum over lanes of 64 bits. */
static inline void NAME(add_one)(uint64_t sum, int bits, int32_t n, int32_t sign, int32_t *above,
                                 int32_t *at_least)
{
    const uint64_t low = ((uint64_t)1 << bits) - 1;
    if (bits == 16)
        sum += sum >> 32;
    *above += sign * (int32_t)(sum & low);
    *at_least += sign * (n - (int32_t)(sum >> bits & low));
}

static inline void NAME(add_four)(const quads *sums, int bits, int32_t n, int32_t sign, int32_t *above,
                                  int32_t *at_least)
{
    const uint64_t low = ((uint64_t)1 << bits) - 1;
    const halves minus = (halves){0} + (sign >> 31); /* -x is ~x + 1 */
    int i;
    for (i = 0; i < 32 / RM_VECTOR_BYTES; i++) {
        quads sum = sums[i];
        halves *a = (halves *)above + i, *b = (halves *)at_least + i;
        if (bits == 16)
            sum += sum >> 32;
        *a += (__builtin_convertvector(sum & low, halves) ^ minus) - minus;
        *b += ((n - __builtin_convertvector(sum >> bits & low, halves)) ^ minus) - minus;
    }
}

#define DEFINE_COUNT_BLOCK(T, LANE, W)                                                                      \
    static inline void NAME(count_##T##_##W)(const rm_##T *x, int64_t n, int64_t whole, const rm_##T *last, \
                                             const LANE *kept, const rm_##T *t, int32_t sign,               \
                                             int32_t *restrict above, int32_t *restrict at_least)           \
    {                                                                                                       \
        const T##_mask keep = *(const T##_mask *)kept;                                                      \
        T##_vector v = *(const T##_vector *)last, threshold[W];                                             \
        T##_mask above_lanes[W], below_lanes[W];                                                            \
        quads both[4] = {{0}}, sums[32 / RM_VECTOR_BYTES];                                                  \
        int64_t j;                                                                                          \
        int w;                                                                                              \
        for (w = 0; w < W; w++) {                                                                           \
            threshold[w] = (T##_vector){0} + t[w];                                                          \
            above_lanes[w] = -((v > threshold[w]) & keep);                                                  \
            below_lanes[w] = -((v < threshold[w]) & keep);                                                  \
        }                                                                                                   \
        _Pragma("GCC unroll 2") for (j = 0; j < whole; j += LANES(T))                                       \
        {                                                                                                   \
            v = *(const T##_vector *)(x + j);                                                               \
            __builtin_prefetch((const char *)(x + j) + RM_TILE * sizeof(rm_##T), 0, 2);                     \
            for (w = 0; w < W; w++) { /* a comparison gives -1 where it holds */                            \
                above_lanes[w] -= v > threshold[w];                                                         \
                below_lanes[w] -= v < threshold[w];                                                         \
            }                                                                                               \
        }                                                                                                   \
        for (w = 0; w < W; w++)                                                                             \
            both[w] = (quads)(above_lanes[w] + (below_lanes[w] << HALF(LANE)));                             \
        NAME(sum_lanes)(both, sums);                                                                        \
        if (W == 4)                                                                                         \
            NAME(add_four)(sums, HALF(LANE), (int32_t)n, sign, above, at_least);                            \
        for (w = 0; w < W && W < 4; w++)                                                                    \
            NAME(add_one)(((const uint64_t *)sums)[w], HALF(LANE), (int32_t)n, sign, above + w,             \
                          at_least + w);                                                                    \
    }

/* The last n % LANES values are read as the end of a whole vector, of which only they are kept. */
#define DEFINE_COUNT(T, LANE)                                                                         \
    DEFINE_VECTORS(T, LANE)                                                                           \
    DEFINE_COUNT_BLOCK(T, LANE, 4)                                                                    \
    DEFINE_COUNT_BLOCK(T, LANE, 3)                                                                    \
    DEFINE_COUNT_BLOCK(T, LANE, 2)                                                                    \
    DEFINE_COUNT_BLOCK(T, LANE, 1)                                                                    \
    static void NAME(count_##T)(const rm_##T *x, int64_t n, const rm_##T *t, int64_t p, int32_t sign, \
                                int32_t *above, int32_t *at_least)                                    \
    {                                                                                                 \
        static const LANE kept[] = {0, 0, 0, 0, 0, 0, 0, 0, -1, -1, -1, -1, -1, -1, -1, -1};          \
        int64_t whole = n - n % LANES(T), i;                                                          \
        const LANE *keep = kept + 8 - LANES(T) + (n - whole);                                         \
        rm_##T few[LANES(T)] = {0};                                                                   \
        const rm_##T *last = x + n - LANES(T);                                                        \
        if (whole == 0) {                                                                             \
            for (i = 0; i < n; i++)                                                                   \
                few[LANES(T) - n + i] = x[i];                                                         \
            last = few;                                                                               \
        }                                                                                             \
        for (i = 0; i + 4 <= p; i += 4)                                                               \
            NAME(count_##T##_4)(x, n, whole, last, keep, t + i, sign, above + i, at_least + i);       \
        switch (p - i) {                                                                              \
        case 3:                                                                                       \
            NAME(count_##T##_3)(x, n, whole, last, keep, t + i, sign, above + i, at_least + i);       \
            break;                                                                                    \
        case 2:                                                                                       \
            NAME(count_##T##_2)(x, n, whole, last, keep, t + i, sign, above + i, at_least + i);       \
            break;                                                                                    \
        case 1:                                                                                       \
            NAME(count_##T##_1)(x, n, whole, last, keep, t + i, sign, above + i, at_least + i);       \
            break;                                                                                    \
        default:                                                                                      \
            break;                                                                                    \
        }                                                                                             \
    }

/* Whether some lane is not zero. */
#define DEFINE_ANY(T)                                             \
    static inline int NAME(any_##T)(T##_mask lanes)               \
    {                                                             \
        uint64_t any = 0;                                         \
        int i;                                                    \
        for (i = 0; i < (int)(RM_VECTOR_BYTES / sizeof any); i++) \
            any |= ((quads)lanes)[i];                             \
        return any != 0;                                          \
    }

/* Most of a long row lies below the bound: eight vectors at a time are passed over. */
#define NOT_BELOW(i) ~(v[i] <= bounds)
#define DEFINE_NEXT_ABOVE(T)                                                                             \
    static int64_t NAME(next_above_##T)(const rm_##T *x, int64_t from, int64_t n, rm_##T bound)          \
    {                                                                                                    \
        T##_vector bounds = (T##_vector){0} + bound;                                                     \
        int64_t j = from;                                                                                \
        for (; j + 8 * LANES(T) <= n; j += 8 * LANES(T)) {                                               \
            const T##_vector *v = (const T##_vector *)(x + j);                                           \
            int i;                                                                                       \
            for (i = 0; i < 8 * RM_VECTOR_BYTES; i += 64)                                                \
                __builtin_prefetch((const char *)v + i + RM_TILE * sizeof(rm_##T), 0, 2);                \
            if (NAME(any_##T)(NOT_BELOW(0) | NOT_BELOW(1) | NOT_BELOW(2) | NOT_BELOW(3) | NOT_BELOW(4) | \
                              NOT_BELOW(5) | NOT_BELOW(6) | NOT_BELOW(7)))                               \
                break;                                                                                   \
        }                                                                                                \
        while (j < n && x[j] <= bound)                                                                   \
            j++;                                                                                         \
        return j;                                                                                        \
    }

/* The last vector overlaps the one before it, as no harm comes of looking twice. */
#define DEFINE_HAS_NAN(T)                                       \
    static int NAME(has_nan_##T)(const rm_##T *x, int64_t n)    \
    {                                                           \
        T##_mask any = {0};                                     \
        int64_t j;                                              \
        int one = 0;                                            \
        for (j = 0; j < n && n < LANES(T); j++)                 \
            one |= x[j] != x[j];                                \
        if (n < LANES(T))                                       \
            return one;                                         \
        for (j = 0; j + 2 * LANES(T) <= n; j += 2 * LANES(T)) { \
            const T##_vector *v = (const T##_vector *)(x + j);  \
            any |= (v[0] != v[0]) | (v[1] != v[1]);             \
        }                                                       \
        for (; j < n; j += LANES(T)) {                          \
            int64_t at = j <= n - LANES(T) ? j : n - LANES(T);  \
            T##_vector v = *(const T##_vector *)(x + at);       \
            any |= v != v;                                      \
        }                                                       \
        return NAME(any_##T)(any);                              \
    }

DEFINE_COUNT(f32, int32_t)
DEFINE_COUNT(f64, int64_t)
DEFINE_COUNT(i64, int64_t)
DEFINE_ANY(f32)
DEFINE_ANY(f64)
DEFINE_ANY(i64)
DEFINE_NEXT_ABOVE(f32)
DEFINE_NEXT_ABOVE(f64)
DEFINE_NEXT_ABOVE(i64)
DEFINE_HAS_NAN(f32)
DEFINE_HAS_NAN(f64)

static int NAME(has_nan_i64)(const int64_t *x, int64_t n) { return (void)x, (void)n, 0; }

#ifdef __AVX2__
#include "narrow.h"
#define T f32
#include "typed.h"
#include "narrow_count.h"
#include "typed_end.h"
#define T f64
#include "typed.h"
#include "narrow_count.h"
#include "typed_end.h"
#define COUNT(T) NAME(count_any_##T)
#include "split.h"
#define SPLIT(T) NAME(split_##T)
#else
#define COUNT(T) NAME(count_##T)
#define SPLIT_LEAST INT64_MAX
#define SPLIT(T) NULL
#endif

#include "kernels_columns.h"
#include "kernels_labels.h"
#include "kernels_resample.h"

const rm_kernels NAME(rm_kernels) = {
    .name = TEXT(RM_ISA),
    .crossover = RM_CROSSOVER,
    .count_f32 = COUNT(f32),
    .count_f64 = COUNT(f64),
    .count_i64 = NAME(count_i64),
    .split_least = SPLIT_LEAST,
    .split_f32 = SPLIT(f32),
    .split_f64 = SPLIT(f64),
    .split_i64 = SPLIT(i64),
    .next_above_f32 = NAME(next_above_f32),
    .next_above_f64 = NAME(next_above_f64),
    .next_above_i64 = NAME(next_above_i64),
    .has_nan_f32 = NAME(has_nan_f32),
    .has_nan_f64 = NAME(has_nan_f64),
    .has_nan_i64 = NAME(has_nan_i64),
    .find_labels = NAME(find_labels),
    .count_labels = NAME(count_labels),
    .count_ones = NAME(count_ones),
    .fill_subsets = NAME(fill_subsets),
    .sum_draws = {NAME(sum_draws_1), NAME(sum_draws_2), NAME(sum_draws_3)},
    .sum_slots = {NAME(sum_slots_1), NAME(sum_slots_2), NAME(sum_slots_3)},
    .sum_subsets = {NAME(sum_subsets_1), NAME(sum_subsets_2), NAME(sum_subsets_3)},
    .columns = {.hits = NAME(column_hits),
                .hit = NAME(column_hit),
                .reciprocal_rank = NAME(column_reciprocal_rank),
                .precision_sum = NAME(column_precision_sum),
                .auc = NAME(column_auc),
                .max_f1 = NAME(column_max_f1),
                .discounted = NAME(column_discounted),
                .shares = NAME(column_shares),
                .ndcg = NAME(column_ndcg),
                .count_nan = NAME(column_count_nan)},
};
