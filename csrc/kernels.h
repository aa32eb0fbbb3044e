/* The counting loops, written once in plain C and compiled once per instruction set. The including file
 * defines RM_ISA, the suffix and name of the set. Only exact comparisons and integer sums, so any vector
 * width gives the same result. */
#include "internal.h"

#define JOIN_(a, b) a##_##b
#define JOIN(a, b) JOIN_(a, b)
#define NAME(base) JOIN(base, RM_ISA)
#define TEXT_(a) #a
#define TEXT(a) TEXT_(a)

/* W thresholds share each load of x. LANE is an integer as wide as T, which keeps the lanes aligned. */
#define COUNT_BLOCK(T, LANE, W)                                                                                 \
    for (; i + W <= p; i += W) {                                                                                \
        LANE a[W] = {0}, b[W] = {0};                                                                            \
        for (j = 0; j < n; j++)                                                                                 \
            for (w = 0; w < W; w++) {                                                                           \
                a[w] += x[j] > t[i + w];                                                                        \
                b[w] += x[j] >= t[i + w];                                                                       \
            }                                                                                                   \
        for (w = 0; w < W; w++) {                                                                               \
            above[i + w] += sign * (int32_t)a[w];                                                               \
            at_least[i + w] += sign * (int32_t)b[w];                                                            \
        }                                                                                                       \
    }

#define DEFINE_COUNT(T, LANE)                                                                                   \
    static void NAME(count_##T)(const rm_##T *x, int64_t n, const rm_##T *t, int64_t p, int32_t sign,           \
                                int32_t *restrict above, int32_t *restrict at_least)                            \
    {                                                                                                           \
        int64_t i = 0, j;                                                                                       \
        int w;                                                                                                  \
        COUNT_BLOCK(T, LANE, 4)                                                                                 \
        COUNT_BLOCK(T, LANE, 2)                                                                                 \
        COUNT_BLOCK(T, LANE, 1)                                                                                 \
    }

/* Most of a long row lies below the bound: whole blocks are passed over with one vector OR. */
#define SKIP 32
#define DEFINE_NEXT_ABOVE(T)                                                                                    \
    static int64_t NAME(next_above_##T)(const rm_##T *x, int64_t from, int64_t n, rm_##T bound)                 \
    {                                                                                                           \
        int64_t j = from;                                                                                       \
        for (; j + SKIP <= n; j += SKIP) {                                                                      \
            int any = 0, l;                                                                                     \
            for (l = 0; l < SKIP; l++)                                                                          \
                any |= x[j + l] > bound;                                                                        \
            if (any)                                                                                            \
                break;                                                                                          \
        }                                                                                                       \
        while (j < n && !(x[j] > bound))                                                                        \
            j++;                                                                                                \
        return j;                                                                                               \
    }

#define DEFINE_HAS_NAN(T)                                                                                       \
    static int NAME(has_nan_##T)(const rm_##T *x, int64_t n)                                                    \
    {                                                                                                           \
        int any = 0;                                                                                            \
        int64_t j;                                                                                              \
        for (j = 0; j < n; j++)                                                                                 \
            any |= x[j] != x[j];                                                                                \
        return any;                                                                                             \
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
    TEXT(RM_ISA),          NAME(count_f32),      NAME(count_f64),   NAME(count_i64),   NAME(next_above_f32),
    NAME(next_above_f64), NAME(next_above_i64), NAME(has_nan_f32), NAME(has_nan_f64),
    NAME(has_nan_i64),
};
