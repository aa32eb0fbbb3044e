/* Binary metrics: how many relevant entries stand in the first k places, and where. Where a block of ties
 * holds several places, the value is the exact mean over all its orders. */
#include <math.h>

#include "measure.h"

int64_t rm_from_grade(const double *grade, int64_t n, double min_grade)
{
    int64_t i, found = 0;
    for (i = 0; i < n; i++)
        found += grade[i] >= min_grade;
    return found;
}

/* Each relevant entry of a block is in the first k with probability places / size. */
RM_WALKER void hits(const rm_view *view, const rm_cutoffs *cutoffs, double min_grade, rm_walk walk)
{
    double hits = 0.0;
    int32_t j;
    rm_block block;
    rm_first_block(view, &block, walk);
    for (j = 0; j < cutoffs->n; j++) {
        int64_t k = cutoffs->k[j];
        double cut = 0.0;
        FOR_FURTHER_BLOCKS (block, view, k, walk) {
            double relevant = (double)rm_block_relevant(view, &block, min_grade);
            if (block.size > 1 && block.size > k - block.start) {
                cut = relevant * (double)(k - block.start) / (double)block.size;
                break;
            }
            hits += relevant;
        }
        cutoffs->values[j] = hits + cut;
    }
}

DEFINE_AT(rm_hits, hits)
DEFINE_EACH(rm_hits, hits)

/* P(any of c relevant among m of t places) = 1 - C(t - c, m) / C(t, m), by the shorter of its two products
 * and summed from small to large, as 1 minus a product near 1 would lose digits. */
static double any_among(int64_t t, int64_t c, int64_t m)
{
    int64_t few = c < m ? c : m, many = c < m ? m : c, i;
    double any = 0.0, none = 1.0;
    for (i = 0; i < few && none > 0.0; i++) {
        any += none * ((double)many / (double)(t - i));
        none *= (double)(t - many - i) / (double)(t - i);
    }
    return any;
}

/* The first block with relevant entries, their number in *relevant; in no place if it is beyond the cutoffs.
 */
RM_WALKER rm_block first_relevant(const rm_view *view, const rm_cutoffs *cutoffs, double min_grade,
                                  int64_t *relevant, rm_walk walk)
{
    rm_block block;
    FOR_BLOCKS (block, view, cutoffs->k[cutoffs->n - 1], walk) {
        *relevant = rm_block_relevant(view, &block, min_grade);
        if (*relevant > 0)
            return block;
    }
    block.start = INT64_MAX;
    return block;
}

RM_WALKER void hit(const rm_view *view, const rm_cutoffs *cutoffs, double min_grade, rm_walk walk)
{
    int64_t relevant = 0;
    rm_block block = first_relevant(view, cutoffs, min_grade, &relevant, walk);
    int32_t j;
    for (j = 0; j < cutoffs->n; j++) {
        double value = cutoffs->k[j] > block.start ? 1.0 : 0.0;
        /* Only a block that the cutoff cuts can miss. */
        if (value > 0.0 && block.size > 1 && cutoffs->k[j] - block.start <= block.size - relevant)
            value = any_among(block.size, relevant, cutoffs->k[j] - block.start);
        cutoffs->values[j] = value;
    }
}

DEFINE_AT(rm_hit, hit)
DEFINE_EACH(rm_hit, hit)

/* The first of c relevant among t places is at place i with probability C(t - i, c - 1) / C(t, c). */
RM_WALKER void reciprocal_rank(const rm_view *view, const rm_cutoffs *cutoffs, double min_grade, rm_walk walk)
{
    int64_t c = 0, i = 1;
    rm_block block = first_relevant(view, cutoffs, min_grade, &c, walk);
    double sum = 0.0, first_here = 0.0;
    int32_t j;
    if (block.start != INT64_MAX)
        first_here = (double)c / (double)block.size;
    for (j = 0; j < cutoffs->n; j++) {
        int64_t m = rm_places_within(&block, cutoffs->k[j]);
        for (; i <= m && first_here > 0.0; i++) {
            sum += first_here / (double)(block.start + i);
            first_here *= (double)(block.size - i - c + 1) / (double)(block.size - i);
        }
        cutoffs->values[j] = sum;
    }
}

DEFINE_AT(rm_reciprocal_rank, reciprocal_rank)
DEFINE_EACH(rm_reciprocal_rank, reciprocal_rank)

/* Each of the c relevant entries of a block is at each of its t places with probability 1 / t. */
RM_WALKER double biased_precision(const rm_view *view, int64_t k, double min_grade, double p, rm_walk walk)
{
    double sum = 0.0;
    rm_block block;
    FOR_BLOCKS (block, view, k, walk) {
        double share = (double)rm_block_relevant(view, &block, min_grade) / (double)block.size;
        double before = (double)block.start, behind = before + (double)rm_places_within(&block, k);
        sum += share * (pow(p, before) - pow(p, behind));
    }
    return sum;
}

double rm_biased_precision(const rm_view *view, int64_t k, double min_grade, double p)
{
    return FOR_WALK(biased_precision, view, view, k, min_grade, p);
}

#define LEVELS 11

RM_WALKER rm_code interpolated_precision(const rm_view *view, const rm_metric *metric, double relevant,
                                         int64_t row, double *value, rm_walk walk)
{
    int n_levels = isnan(metric->parameter) ? LEVELS : 1, i;
    int64_t needed[LEVELS], hits = 0, j;
    double best[LEVELS] = {0.0};
    rm_block block;
    for (i = 0; i < n_levels; i++) {
        double level = n_levels == 1 ? metric->parameter : i / (LEVELS - 1.0);
        needed[i] = metric->nearest_level ? llround(level * relevant) : rm_part_of(level, relevant);
    }
    FOR_BLOCKS (block, view, INT64_MAX, walk) {
        int64_t c = rm_block_relevant(view, &block, metric->min_grade);
        if (block.size > 1 && c > 0 && c < block.size)
            return rm_stop(RM_NO_TIE_MEAN, row, -1, 0.0);
        for (j = 1; j <= c; j++) {
            double precision = (double)++hits / (double)(block.start + j);
            for (i = 0; i < n_levels; i++)
                if (hits >= needed[i] && precision > best[i])
                    best[i] = precision;
        }
    }
    *value = 0.0;
    for (i = 0; i < n_levels; i++)
        *value += best[i];
    *value /= n_levels;
    return RM_OK;
}

rm_code rm_interpolated_precision(const rm_metric *metric, const rm_view *view, double relevant, int64_t row,
                                  double *value)
{
    return FOR_WALK(interpolated_precision, view, view, metric, relevant, row, value);
}
