/* Metrics of thresholds: a block of equal scores is taken whole or not at all, so ties have no order here. */
#include <math.h>

#include "measure.h"

/* Twice the pairs won, in integers: a positive wins over each negative below it and half over each beside it. */
double rm_auc(const rm_user *user, const rm_view *view, double min_grade)
{
    int64_t positives = 0, negatives, before = 0, twice_won = 0, b;
    if (min_grade == 0.0)
        positives = user->n_ranked;
    else
        for (b = 0; b < view->n_blocks; b++)
            positives += rm_block_relevant(view, &view->blocks[b], min_grade);
    negatives = user->candidates - positives;
    if (positives == 0 || negatives == 0)
        return NAN;
    for (b = 0; b < view->n_blocks; b++) {
        const rm_block *block = &view->blocks[b];
        int64_t here = rm_block_relevant(view, block, min_grade);
        int64_t negatives_above = block->start - before, negatives_beside = block->size - here;
        twice_won += here * (2 * (negatives - negatives_above) - negatives_beside);
        before += here;
    }
    return (double)twice_won / (2.0 * (double)positives * (double)negatives);
}

/* Sum over thresholds of (recall gained) times (precision there). */
double rm_pr_auc(const rm_view *view, double relevant, double min_grade)
{
    double sum = 0.0;
    int64_t b, hits = 0;
    for (b = 0; b < view->n_blocks; b++) {
        const rm_block *block = &view->blocks[b];
        int64_t here = rm_block_relevant(view, block, min_grade);
        hits += here;
        sum += (double)here * ((double)hits / (double)(block->start + block->size));
    }
    return sum / relevant;
}

/* F1 at a threshold is 2 hits / (predicted + relevant); it only rises where something relevant is met. */
double rm_max_f1(const rm_view *view, double relevant, double min_grade)
{
    double best = 0.0;
    int64_t b, hits = 0;
    for (b = 0; b < view->n_blocks; b++) {
        const rm_block *block = &view->blocks[b];
        double f1;
        hits += rm_block_relevant(view, block, min_grade);
        f1 = 2.0 * (double)hits / ((double)(block->start + block->size) + relevant);
        best = f1 > best ? f1 : best;
    }
    return best;
}
