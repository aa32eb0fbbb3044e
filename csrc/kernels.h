/* The counting loops, written once in plain C and compiled once per instruction set. The including file
 * defines RM_ISA, the suffix and name of the set. Only exact comparisons and integer sums, so any vector
 * width gives the same result. */
#include "internal.h"

#define JOIN_(a, b) a##_##b
#define JOIN(a, b) JOIN_(a, b)
#define NAME(base) JOIN(base, RM_ISA)
#define TEXT_(a) #a
#define TEXT(a) TEXT_(a)

/* Four thresholds share each load of x. LANE is an integer as wide as T, which keeps the lanes aligned. */
#define DEFINE_COUNT(T, LANE)                                                                                  \
    static void NAME(count_##T)(const rm_##T *x, int64_t n, const rm_##T *t, int64_t p, int32_t sign,           \
                                int32_t *above, int32_t *at_least)                                              \
    {                                                                                                           \
        int64_t i = 0, j;                                                                                       \
        for (; i + 4 <= p; i += 4) {                                                                            \
            rm_##T t0 = t[i], t1 = t[i + 1], t2 = t[i + 2], t3 = t[i + 3];                                      \
            LANE a0 = 0, a1 = 0, a2 = 0, a3 = 0, b0 = 0, b1 = 0, b2 = 0, b3 = 0;                                \
            for (j = 0; j < n; j++) {                                                                           \
                rm_##T v = x[j];                                                                                \
                a0 += v > t0;                                                                                   \
                b0 += v >= t0;                                                                                  \
                a1 += v > t1;                                                                                   \
                b1 += v >= t1;                                                                                  \
                a2 += v > t2;                                                                                   \
                b2 += v >= t2;                                                                                  \
                a3 += v > t3;                                                                                   \
                b3 += v >= t3;                                                                                  \
            }                                                                                                   \
            above[i] += sign * (int32_t)a0;                                                                     \
            above[i + 1] += sign * (int32_t)a1;                                                                 \
            above[i + 2] += sign * (int32_t)a2;                                                                 \
            above[i + 3] += sign * (int32_t)a3;                                                                 \
            at_least[i] += sign * (int32_t)b0;                                                                  \
            at_least[i + 1] += sign * (int32_t)b1;                                                              \
            at_least[i + 2] += sign * (int32_t)b2;                                                              \
            at_least[i + 3] += sign * (int32_t)b3;                                                              \
        }                                                                                                       \
        for (; i < p; i++) {                                                                                    \
            rm_##T t0 = t[i];                                                                                   \
            LANE a0 = 0, b0 = 0;                                                                                \
            for (j = 0; j < n; j++) {                                                                           \
                a0 += x[j] > t0;                                                                                \
                b0 += x[j] >= t0;                                                                               \
            }                                                                                                   \
            above[i] += sign * (int32_t)a0;                                                                     \
            at_least[i] += sign * (int32_t)b0;                                                                  \
        }                                                                                                       \
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
