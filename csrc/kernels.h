/* The counting loops, written once in C and compiled once per instruction set. The including file defines
 * RM_ISA, the suffix and name of the set, and RM_CROSSOVER, which was measured (docs/decisions.md). Only
 * exact comparisons and integer sums, so any vector width gives the same result. */
#include "internal.h"

#define JOIN_(a, b) a##_##b
#define JOIN(a, b) JOIN_(a, b)
#define NAME(base) JOIN(base, RM_ISA)
#define TEXT_(a) #a
#define TEXT(a) TEXT_(a)

/* Vectors of 32 bytes, in the C that GCC and Clang share; a narrower set takes two registers for each. Left
 * to itself the compiler sums across lanes twice per threshold and row, which costs a short row more than its
 * comparisons. Both counts of a lane share one integer: a tile is short enough for half of its bits. */
#define LANES(T) ((int)(32 / sizeof(rm_##T)))
typedef uint64_t quads __attribute__((vector_size(32), may_alias));
#define HALF(LANE) (4 * sizeof(LANE))
#define DEFINE_VECTORS(T, LANE)                                                                     \
    typedef rm_##T T##_vector __attribute__((vector_size(32), aligned(sizeof(rm_##T)), may_alias)); \
    typedef LANE T##_mask __attribute__((vector_size(32), aligned(sizeof(LANE)), may_alias));

#define DEFINE_COUNT_BLOCK(T, LANE, W)                                                        \
    static inline void NAME(count_##T##_##W)(const rm_##T *x, int64_t n, const rm_##T *last,  \
                                             const LANE *kept, const rm_##T *t, int32_t sign, \
                                             int32_t *above, int32_t *at_least)               \
    {                                                                                         \
        const T##_mask keep = *(const T##_mask *)kept;                                        \
        T##_vector v = *(const T##_vector *)last, threshold[W];                               \
        T##_mask above_lanes[W], at_least_lanes[W];                                           \
        int64_t j;                                                                            \
        int w;                                                                                \
        for (w = 0; w < W; w++) {                                                             \
            threshold[w] = (T##_vector){0} + t[w];                                            \
            above_lanes[w] = -((v > threshold[w]) & keep);                                    \
            at_least_lanes[w] = -((v >= threshold[w]) & keep);                                \
        }                                                                                     \
        for (j = 0; j < n; j += LANES(T)) {                                                   \
            v = *(const T##_vector *)(x + j);                                                 \
            for (w = 0; w < W; w++) { /* a comparison gives -1 where it holds */              \
                above_lanes[w] -= v > threshold[w];                                           \
                at_least_lanes[w] -= v >= threshold[w];                                       \
            }                                                                                 \
        }                                                                                     \
        for (w = 0; w < W; w++) {                                                             \
            quads both = (quads)(above_lanes[w] + (at_least_lanes[w] << HALF(LANE)));         \
            uint64_t quad = both[0] + both[1] + both[2] + both[3];                            \
            LANE sum = (LANE)(sizeof(LANE) == 4 ? quad + (quad >> 32) : quad);                \
            above[w] += sign * (int32_t)(sum & (((LANE)1 << HALF(LANE)) - 1));                \
            at_least[w] += sign * (int32_t)(sum >> HALF(LANE));                               \
        }                                                                                     \
    }

/* The last n % LANES values are read as the end of a whole vector, of which only they are kept. */
#define DEFINE_COUNT(T, LANE)                                                                         \
    DEFINE_VECTORS(T, LANE)                                                                           \
    DEFINE_COUNT_BLOCK(T, LANE, 4)                                                                    \
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
            NAME(count_##T##_4)(x, whole, last, keep, t + i, sign, above + i, at_least + i);          \
        for (; i + 2 <= p; i += 2)                                                                    \
            NAME(count_##T##_2)(x, whole, last, keep, t + i, sign, above + i, at_least + i);          \
        for (; i < p; i++)                                                                            \
            NAME(count_##T##_1)(x, whole, last, keep, t + i, sign, above + i, at_least + i);          \
    }

/* Most of a long row lies below the bound: whole blocks are passed over with one vector OR. */
#define SKIP 32
#define DEFINE_NEXT_ABOVE(T)                                                                    \
    static int64_t NAME(next_above_##T)(const rm_##T *x, int64_t from, int64_t n, rm_##T bound) \
    {                                                                                           \
        int64_t j = from;                                                                       \
        for (; j + SKIP <= n; j += SKIP) {                                                      \
            int any = 0, l;                                                                     \
            for (l = 0; l < SKIP; l++)                                                          \
                any |= x[j + l] > bound;                                                        \
            if (any)                                                                            \
                break;                                                                          \
        }                                                                                       \
        while (j < n && !(x[j] > bound))                                                        \
            j++;                                                                                \
        return j;                                                                               \
    }

#define DEFINE_HAS_NAN(T)                                    \
    static int NAME(has_nan_##T)(const rm_##T *x, int64_t n) \
    {                                                        \
        int any = 0;                                         \
        int64_t j;                                           \
        for (j = 0; j < n; j++)                              \
            any |= x[j] != x[j];                             \
        return any;                                          \
    }

DEFINE_COUNT(f32, int32_t)
DEFINE_COUNT(f64, int64_t)
DEFINE_COUNT(i64, int64_t)
DEFINE_NEXT_ABOVE(f32)
DEFINE_NEXT_ABOVE(f64)
DEFINE_NEXT_ABOVE(i64)
DEFINE_HAS_NAN(f32)
DEFINE_HAS_NAN(f64)

static int NAME(has_nan_i64)(const int64_t *x, int64_t n) { return (void)x, (void)n, 0; }

const rm_kernels NAME(rm_kernels) = {
    .name = TEXT(RM_ISA),
    .crossover = RM_CROSSOVER,
    .count_f32 = NAME(count_f32),
    .count_f64 = NAME(count_f64),
    .count_i64 = NAME(count_i64),
    .next_above_f32 = NAME(next_above_f32),
    .next_above_f64 = NAME(next_above_f64),
    .next_above_i64 = NAME(next_above_i64),
    .has_nan_f32 = NAME(has_nan_f32),
    .has_nan_f64 = NAME(has_nan_f64),
    .has_nan_i64 = NAME(has_nan_i64),
};
