/* The many relevant items of a short row, ranked by splitting the row between them: AVX2 only. Their scores
 * are sorted, each candidate finds its place among them, eight at a time, and those in each place are
 * counted. Lanes chosen by a variable, and the greater and the lesser, are intrinsics: GCC and Clang share no
 * other way to say them. */

#define SPLIT_LEAST 12  /* relevant items from which it pays */
#define SPLIT_MOST 255  /* that there is room for */
#define SPLIT_BEHIND 64 /* candidates after which a stored place is ready to be read */
#define SPLIT_ROWS ((SPLIT_MOST + 1) / 8)
_Static_assert(RM_CROSSOVER <= SPLIT_MOST, "more relevant items are searched");

typedef union {
    f32_vector row[SPLIT_ROWS];
    float each[SPLIT_MOST + 1];
} split_scores;

typedef union {
    f32_mask row[SPLIT_ROWS];
    int32_t each[SPLIT_MOST + 1];
} split_counts;

/* places[j] = scores above candidate j. Four counts of each place, as it takes a while until one can be added
 * to again. */
typedef struct {
    split_scores scores;
    split_counts counts[4];
    int32_t places[RM_TILE];
} splitting;

#define UNROLLED _Pragma("GCC unroll 16")
static const f32_mask lanes = {0, 1, 2, 3, 4, 5, 6, 7};

/* Lane i = v[index[i] % 8]. */
INLINED f32_vector permuted(f32_vector v, f32_mask index)
{
    return _mm256_permutevar8x32_ps(v, (__m256i)index);
}

INLINED f32_vector chosen(f32_mask second, f32_vector a, f32_vector b)
{
    return _mm256_blendv_ps(a, b, (__m256)second);
}

INLINED void order_two(f32_vector *greater, f32_vector *less)
{
    f32_vector a = *greater, b = *less;
    *greater = _mm256_max_ps(a, b);
    *less = _mm256_min_ps(a, b);
}

/* Lanes `step` apart. */
INLINED f32_vector order_lanes(f32_vector v, int step)
{
    f32_vector greater = v, less = permuted(v, lanes ^ step);
    order_two(&greater, &less);
    return chosen((lanes & step) != 0, greater, less);
}

static inline int32_t sum_eight(f32_mask v) { return v[0] + v[1] + v[2] + v[3] + v[4] + v[5] + v[6] + v[7]; }

INLINED void count_eight(splitting *s, int64_t j)
{
    int i;
    UNROLLED
    for (i = 0; i < 8; i++)
        s->counts[i % 4].each[s->places[j + i]]++;
}

static void count_places(splitting *s, int64_t start, int64_t n)
{
    int64_t j;
    for (j = start; j + 8 <= n; j += 8)
        count_eight(s, j);
    for (; j < n; j++)
        s->counts[j % 4].each[s->places[j]]++;
}

INLINED void merge_rows_1(f32_vector *row) { (void)row; }
INLINED void sort_columns_1(f32_vector *row) { (void)row; }
#define ROWS 2
#define HALF_ROWS 1
#include "split_rows.h"
#define ROWS 4
#define HALF_ROWS 2
#include "split_rows.h"
#define ROWS 8
#define HALF_ROWS 4
#include "split_rows.h"
#define ROWS 16
#define HALF_ROWS 8
#include "split_rows.h"
#define ROWS 32
#define HALF_ROWS 16
#include "split_rows.h"

/* 0 where a candidate ties with one of the r scores. */
static int split_row(splitting *s, int rows, int64_t r, const float *x, int64_t n)
{
    switch (rows) {
    case 2:
        return split_row_2(s, r, x, n);
    case 4:
        return split_row_4(s, r, x, n);
    case 8:
        return split_row_8(s, r, x, n);
    case 16:
        return split_row_16(s, r, x, n);
    default:
        return split_row_32(s, r, x, n);
    }
}

/* ahead[i] = candidates in the places up to i, without the one that has the score itself. */
static void sum_places(const split_counts *counts, int rows, split_counts *ahead)
{
    f32_mask before = (f32_mask){0} - 1;
    int i, step;
    for (i = 0; i < rows; i++) {
        f32_mask sum = counts[0].row[i] + counts[1].row[i] + counts[2].row[i] + counts[3].row[i];
        UNROLLED
        for (step = 1; step < 8; step *= 2)
            sum += (f32_mask)permuted((f32_vector)sum, lanes - step) & (lanes >= step);
        sum += before;
        before = (f32_mask)permuted((f32_vector)sum, (f32_mask){0} + 7);
        ahead->row[i] = sum;
    }
}

static int NAME(split_f32)(const float *x, int64_t n, int32_t *items, int64_t r, int32_t *sorted)
{
    splitting s;
    int32_t order[SPLIT_MOST + 1];
    int64_t i;
    int rows = 2;
    while (8 * rows <= r)
        rows *= 2;
    for (i = 0; i < rows; i++) {
        s.scores.row[i] = (f32_vector){0} - INFINITY;
        s.counts[0].row[i] = s.counts[1].row[i] = s.counts[2].row[i] = s.counts[3].row[i] = (f32_mask){0};
    }
    for (i = 0; i < r; i++)
        s.scores.each[i] = x[items[i]];
    if (NAME(has_nan_f32)(s.scores.each, r) || !split_row(&s, rows, r, x, n))
        return 0;
    sum_places(s.counts, rows, &s.counts[0]);
    memcpy(order, items, (size_t)r * sizeof *order); /* should scores change meanwhile, all are still items */
    for (i = 0; i < r; i++) {
        order[s.places[items[i]]] = items[i];
        items[i] = s.counts[0].each[i];
    }
    memcpy(sorted, order, (size_t)r * sizeof *order);
    return 1;
}

/* Wider scores are rounded, which may make ties but changes no order. */
typedef float four_floats __attribute__((vector_size(16), aligned(4), may_alias));
#define DEFINE_SPLIT(T)                                                                                \
    static int NAME(split_##T)(const rm_##T *x, int64_t n, int32_t *items, int64_t r, int32_t *sorted) \
    {                                                                                                  \
        float rounded[RM_TILE];                                                                        \
        int64_t j;                                                                                     \
        for (j = 0; j < n; j += LANES(T)) {                                                            \
            int64_t at = j <= n - LANES(T) ? j : n - LANES(T);                                         \
            *(four_floats *)(rounded + at) =                                                           \
                __builtin_convertvector(*(const T##_vector *)(x + at), four_floats);                   \
        }                                                                                              \
        return NAME(split_f32)(rounded, n, items, r, sorted);                                          \
    }
DEFINE_SPLIT(f64)
DEFINE_SPLIT(i64)
