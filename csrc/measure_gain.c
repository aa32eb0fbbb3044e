/* Graded metrics: gains, discounts, and ideals. */
#include <math.h>

#include "measure.h"

double rm_discount(const rm_user *user, int64_t i)
{
    return i < user->n_discounts ? user->discounts[i] : 1.0 / log2((double)i + 2.0);
}

static int table_gain(const rm_gain *gain, double grade, double *value)
{
    int64_t low = 0, high = gain->n;
    while (low < high) {
        int64_t middle = low + (high - low) / 2;
        if (gain->grades[middle] < grade)
            low = middle + 1;
        else
            high = middle;
    }
    if (low == gain->n || gain->grades[low] != grade)
        return 0;
    *value = gain->gains[low];
    return 1;
}

static inline void swap_values(double *values, int64_t i, int64_t j)
{
    double value = values[i];
    values[i] = values[j];
    values[j] = value;
}

#define SORT_NAME sort_values
#define SORT_CONTEXT double
#define BEFORE(c, i, j) ((c)[i] > (c)[j])
#define SWAP(c, i, j) swap_values(c, i, j)
#include "sort.h"

void rm_sort_descending(double *values, int64_t n) { sort_values(values, 0, n); }

static double gain_of(const rm_gain *gain, double grade)
{
    double value = NAN;
    if (gain->kind == RM_GAIN_LINEAR)
        return grade;
    if (gain->kind == RM_GAIN_EXP2)
        return exp2(grade) - 1.0;
    return table_gain(gain, grade, &value) ? value : NAN;
}

void rm_fill_small_gains(const rm_gain *gain, double *small)
{
    int grade;
    for (grade = 0; grade < RM_SMALL_GRADES; grade++)
        small[grade] = gain_of(gain, grade);
}

static inline int small_grade(double grade)
{
    int whole = grade > 0.0 && grade < RM_SMALL_GRADES ? (int)grade : -1;
    return (double)whole == grade ? whole : -1;
}

static inline rm_code gain_of_grade(const rm_gain *gain, const double *small, double grade, int64_t row,
                                    double *value)
{
    int whole = small_grade(grade);
    *value = whole >= 0 ? small[whole] : gain_of(gain, grade);
    if (isfinite(*value))
        return RM_OK;
    return rm_stop(isnan(*value) ? RM_NO_GAIN : RM_BAD_GAIN, row, -1, grade);
}

/* Often all grades are the same. */
rm_code rm_gains_of(const rm_gain *gain, const double *small, const double *grades, int64_t n, int64_t row,
                    double *gains)
{
    rm_code status = RM_OK;
    int64_t same = 0, i;
    while (same < n && grades[same] == grades[0])
        same++;
    if (same > 0)
        status = gain_of_grade(gain, small, grades[0], row, &gains[0]);
    for (i = 1; i < same; i++)
        gains[i] = gains[0];
    for (i = same; i < n && status == RM_OK; i++)
        status = gain_of_grade(gain, small, grades[i], row, &gains[i]);
    return status;
}

int rm_descends(const double *values, int64_t n)
{
    int64_t i;
    for (i = 1; i < n; i++)
        if (values[i] > values[i - 1])
            return 0;
    return 1;
}

/* Whole grades are sorted by counting, as there are few of them; 0 if one is not whole or not small. */
static int sort_whole(const double *grades, int64_t n, double *sorted)
{
    int64_t counts[RM_SMALL_GRADES] = {0}, i, at = 0;
    int grade, highest = 0;
    for (i = 0; i < n; i++) {
        grade = small_grade(grades[i]);
        if (grade < 0)
            return 0;
        counts[grade]++;
        highest = grade > highest ? grade : highest;
    }
    for (grade = highest; grade > 0; grade--)
        for (i = 0; i < counts[grade]; i++)
            sorted[at++] = grade;
    return 1;
}

void rm_sort_grades(const double *grades, int64_t n, double *sorted)
{
    if (!sort_whole(grades, n, sorted)) {
        memcpy(sorted, grades, (size_t)n * sizeof *sorted);
        rm_sort_descending(sorted, n);
    }
}

/* Of gains so large that their sum is infinite, the mean is taken term by term. */
static double block_mean(const double *gains, int64_t n, int64_t size)
{
    double sum = 0.0, mean = 0.0;
    int64_t i;
    for (i = 0; i < n; i++)
        sum += gains[i];
    if (!isinf(sum))
        return sum / (double)size;
    for (i = 0; i < n; i++)
        mean += gains[i] / (double)size;
    return mean;
}

/* Every place of a block has the mean gain of the block. */
static inline double cumulated(const rm_user *user, const rm_view *view, int64_t k, int discounted,
                               int any_tied)
{
    double sum = 0.0;
    int64_t i;
    rm_block block;
    FOR_BLOCKS (block, view, k, any_tied) {
        int64_t end = block.size < k - block.start ? block.start + block.size : k;
        double mean;
        if (block.size == 1) {
            sum += user->gain[block.first] * (discounted ? rm_discount(user, block.start) : 1.0);
            continue;
        }
        mean = block_mean(user->gain + block.first, block.count, block.size);
        if (!discounted)
            sum += mean * (double)(end - block.start);
        else
            for (i = block.start; i < end; i++)
                sum += mean * rm_discount(user, i);
    }
    return sum;
}

double rm_cumulated(const rm_user *user, const rm_view *view, int64_t k, int discounted)
{
    return EITHER(cumulated, view, user, view, k, discounted);
}

double rm_ideal(const rm_user *user, int64_t k)
{
    double sum = 0.0;
    int64_t i, n = user->n < k ? user->n : k;
    for (i = 0; i < n; i++)
        sum += user->gain[i] * rm_discount(user, i);
    return sum;
}
