/* Metrics of thresholds: a block of equal scores is taken whole or not at all, so ties have no order here. */
#include <math.h>

#include "measure.h"

/* Twice the pairs won, in integers: a positive wins over negatives below it and half over those beside it. */
RM_WALKER double auc(const rm_view *view, int64_t candidates, double min_grade, rm_walk walk)
{
    int64_t positives = 0, negatives, before = 0, twice_won = 0;
    rm_block block;
    if (min_grade == 0.0)
        positives = view->n;
    else
        FOR_BLOCKS (block, view, INT64_MAX, walk)
            positives += rm_block_relevant(view, &block, min_grade);
    negatives = candidates - positives;
    if (positives == 0 || negatives == 0)
        return NAN;
    FOR_BLOCKS (block, view, INT64_MAX, walk) {
        int64_t here = rm_block_relevant(view, &block, min_grade);
        int64_t negatives_above = block.start - before, negatives_beside = block.size - here;
        twice_won += here * (2 * (negatives - negatives_above) - negatives_beside);
        before += here;
    }
    return (double)twice_won / (2.0 * (double)positives * (double)negatives);
}

double rm_auc(const rm_view *view, int64_t candidates, double min_grade)
{
    return FOR_WALK(auc, view, view, candidates, min_grade);
}

/* Sum over thresholds of (recall gained) times (precision there). */
RM_WALKER double pr_auc(const rm_view *view, double relevant, double min_grade, rm_walk walk)
{
    double sum = 0.0;
    int64_t hits = 0;
    rm_block block;
    FOR_BLOCKS (block, view, INT64_MAX, walk) {
        int64_t here = rm_block_relevant(view, &block, min_grade);
        hits += here;
        sum += (double)here * ((double)hits / (double)(block.start + block.size));
    }
    return sum / relevant;
}

double rm_pr_auc(const rm_view *view, double relevant, double min_grade)
{
    return FOR_WALK(pr_auc, view, view, relevant, min_grade);
}

/* F1 at a threshold is 2 hits / (predicted + relevant); it only rises where something relevant is met. */
RM_WALKER double max_f1(const rm_view *view, double relevant, double min_grade, rm_walk walk)
{
    double best = 0.0;
    int64_t hits = 0;
    rm_block block;
    FOR_BLOCKS (block, view, INT64_MAX, walk) {
        double f1;
        hits += rm_block_relevant(view, &block, min_grade);
        f1 = 2.0 * (double)hits / ((double)(block.start + block.size) + relevant);
        best = f1 > best ? f1 : best;
    }
    return best;
}

double rm_max_f1(const rm_view *view, double relevant, double min_grade)
{
    return FOR_WALK(max_f1, view, view, relevant, min_grade);
}

/* ---- where nothing ties ---- */

void rm_auc_each(const rm_view *views, const int64_t *candidates, int32_t n, double *values, double min_grade)
{
    int32_t u;
    for (u = 0; u < n; u++)
        values[u] = auc(&views[u], candidates[u], min_grade, RM_WALK_PLACES);
}

void rm_pr_auc_each(const rm_view *views, int32_t n, double *values, double min_grade)
{
    int32_t u;
    for (u = 0; u < n; u++)
        values[u] = pr_auc(&views[u], rm_relevant_of(&views[u], min_grade), min_grade, RM_WALK_PLACES);
}

void rm_max_f1_each(const rm_view *views, int32_t n, double *values, double min_grade)
{
    int32_t u;
    for (u = 0; u < n; u++)
        values[u] = max_f1(&views[u], rm_relevant_of(&views[u], min_grade), min_grade, RM_WALK_PLACES);
}
