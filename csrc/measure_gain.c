/* Graded metrics: gains and discounts. */
#include <math.h>

#include "measure.h"

double rm_make_discount(rm_discount_kind kind, int64_t i)
{
    double rank = (double)i + 1.0;
    switch (kind) {
    case RM_DISCOUNT_LN:
        return 1.0 / log(rank + 1.0);
    case RM_DISCOUNT_JARVELIN:
        return i < 2 ? 1.0 : 1.0 / log2(rank);
    case RM_DISCOUNT_RECIPROCAL:
        return 1.0 / rank;
    default:
        return 1.0 / log2(rank + 1.0);
    }
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

double rm_compute_gain(const rm_gain *gain, double grade)
{
    double value = NAN;
    if (gain->kind == RM_GAIN_LINEAR)
        return grade;
    if (gain->kind == RM_GAIN_EXP2)
        return exp2(grade) - 1.0;
    if (gain->kind == RM_GAIN_BINARY)
        return grade >= gain->min_grade ? 1.0 : 0.0;
    return table_gain(gain, grade, &value) ? value : NAN;
}

void rm_fill_small_gains(rm_gains *gains, const rm_gain *gain)
{
    int grade;
    gains->gain = gain;
    for (grade = 0; grade < RM_SMALL_GRADES; grade++)
        gains->small[grade] = rm_compute_gain(gain, grade);
}

static rm_code load_gain(rm_user *user, int64_t i, int64_t row)
{
    double gain = rm_make_gain(user->gains, user->grade[i]);
    if (!isfinite(gain))
        return rm_stop(isnan(gain) ? RM_NO_GAIN : RM_BAD_GAIN, row, -1, user->grade[i]);
    if (user->gain)
        user->gain[i] = gain;
    return RM_OK;
}

/* Often all grades are the same. */
rm_code rm_load_gains(rm_user *user, const rm_gains *gains, int64_t row)
{
    rm_code status = RM_OK;
    int64_t same = 0, i;
    user->gains = gains;
    while (same < user->n && user->grade[same] == user->grade[0])
        same++;
    if (same > 0)
        status = load_gain(user, 0, row);
    for (i = 1; i < same && user->gain; i++)
        user->gain[i] = user->gain[0];
    for (i = same; i < user->n && status == RM_OK; i++)
        status = load_gain(user, i, row);
    return status;
}

/* Of gains so large that their sum is infinite, the mean is taken term by term. */
static double block_mean(const rm_user *user, const rm_block *block)
{
    const double *gain = user->gain;
    double sum = 0.0, mean = 0.0, size = (double)block->size;
    int64_t i, end = block->first + block->count;
    for (i = block->first; i < end; i++)
        sum += rm_gain_of(user, gain, i);
    if (!isinf(sum))
        return sum / size;
    for (i = block->first; i < end; i++)
        mean += rm_gain_of(user, gain, i) / size;
    return mean;
}

/* Every place of a block has the mean gain of the block. */
RM_WALKER void cumulated(const rm_user *user, const rm_view *view, const rm_cutoffs *cutoffs, int discounted,
                         rm_walk walk)
{
    const double *gain = user->gain;
    double sum = 0.0, mean = 0.0;
    int64_t tie = -1, place = 0; /* where the block of the mean starts; its next place */
    int32_t j;
    rm_block block;
    rm_first_block(view, &block, walk);
    for (j = 0; j < cutoffs->n; j++) {
        int64_t k = cutoffs->k[j];
        double cut = 0.0;
        FOR_FURTHER_BLOCKS (block, view, k, walk) {
            int64_t end = block.size < k - block.start ? block.start + block.size : k;
            if (block.size == 1) {
                sum +=
                    rm_gain_of(user, gain, block.first) * (discounted ? rm_discount(user, block.start) : 1.0);
                continue;
            }
            if (tie != block.start) {
                mean = block_mean(user, &block);
                tie = place = block.start;
            }
            for (; discounted && place < end; place++)
                sum += mean * rm_discount(user, place);
            cut = discounted ? 0.0 : mean * (double)(end - block.start);
            if (block.size > k - block.start)
                break;
            sum += cut;
            cut = 0.0;
        }
        cutoffs->values[j] = sum + cut;
    }
}

double rm_cumulated(const rm_user *user, const rm_view *view, int64_t k, int discounted)
{
    double value;
    rm_cutoffs one = {&k, 1, &value};
    FOR_WALK(cumulated, view, user, view, &one, discounted);
    return value;
}

void rm_cumulated_at(const rm_user *user, const rm_view *view, const rm_cutoffs *cutoffs, int discounted)
{
    FOR_WALK(cumulated, view, user, view, cutoffs, discounted);
}

/* ---- entries in their places, none of which tie ---- */

void rm_cumulated_places(const rm_user *user, const rm_view *view, rm_cutoffs cutoffs, int is_discounted)
{
    double sum = 0.0;
    int64_t i = 0;
    int32_t j;
    for (j = 0; j < cutoffs.n; j++) {
        for (; i < view->n && view->place[i] < cutoffs.k[j]; i++)
            sum += user->gain[i] * (is_discounted ? rm_discount(user, view->place[i]) : 1.0);
        cutoffs.values[j] = sum;
    }
}

/* Of so few entries all are looked at: whether the next stands within a cutoff cannot be foretold, and a
 * question that was guessed wrong costs as much as several entries. */
#define FEW_PLACES 16

/* DCG of few entries; behind the discounts stands a 0 for those beyond k. */
static double discounted_few(const rm_user *user, const rm_view *view, const uint8_t *grade, int64_t k)
{
    const double *small = user->gains->small, *table = user->discounts.table;
    double sum = 0.0;
    int64_t i;
    for (i = 0; i < view->n; i++)
        sum += small[grade[i]] * table[view->place[i] < k ? view->place[i] : user->discounts.n];
    return sum;
}

void rm_cumulated_whole(const rm_user *user, const rm_view *view, const uint8_t *grade, rm_cutoffs cutoffs,
                        int is_discounted)
{
    const double *small = user->gains->small;
    int64_t i = 0, k = cutoffs.k[0];
    double sum = 0.0;
    int32_t j = 0;
    if (cutoffs.n == 1 && is_discounted && view->n <= FEW_PLACES && k <= user->discounts.n)
        cutoffs.values[j++] = discounted_few(user, view, grade, k);
    for (; j < cutoffs.n; j++) {
        for (; i < view->n && view->place[i] < cutoffs.k[j]; i++)
            sum += small[grade[i]] * (is_discounted ? rm_discount(user, view->place[i]) : 1.0);
        cutoffs.values[j] = sum;
    }
}
