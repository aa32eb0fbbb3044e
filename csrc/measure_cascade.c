/* Expected reciprocal rank: a reader goes down the list and stops at an item with a chance that its grade
 * sets. Where c of the t items of a tie can stop him, the chance that j of them do, any order being as
 * likely, is the mean over the ways to take j. Chances to stop are summed, not to go on, which may be all
 * but 1. */
#include <math.h>

#include "draw.h"
#include "measure.h"

static double stop_chance(double grade, double greatest) { return exp2(grade - greatest) - exp2(-greatest); }

/* stops[a] = the mean, over all ways to take a <= most of the block's relevant items, of the chance that one
 * of them stops the reader: item by item, as the n-th is among a of n with probability a / n. */
static rm_code mean_stops(const rm_view *view, const rm_block *block, double greatest, int64_t most,
                          double *stops)
{
    int64_t n, a;
    stops[0] = 0.0;
    for (n = 1; n <= block->count; n++) {
        double stop = stop_chance(view->grade[block->first + n - 1], greatest), pass = 1.0 - stop;
        if (n % 1024 == 0 && rm_stopped())
            return rm_stop(RM_INTERRUPTED, -1, -1, 0.0);
        if (n <= most)
            stops[n] = stop + pass * stops[n - 1];
        for (a = n <= most ? n - 1 : most; a > 0; a--) {
            double share = (double)a / (double)n;
            stops[a] = share * (stop + pass * stops[a - 1]) + (1.0 - share) * stops[a];
        }
    }
    return RM_OK;
}

/* The chance to stop at the first j places: a of the relevant items are there by a hypergeometric law. */
static double chance_of_places(const rm_block *block, const double *stops, int64_t j)
{
    rm_draw draw = rm_draw_of(block->size, block->count, j);
    double p = 1.0, weights = 1.0, sum = stops[draw.mode];
    int64_t a;
    for (a = draw.mode + 1; a <= draw.most && p > 0.0; a++) {
        weights += p *= rm_draw_ratio(&draw, a);
        sum += p * stops[a];
    }
    for (p = 1.0, a = draw.mode; a > draw.fewest && p > 0.0; a--) {
        weights += p /= rm_draw_ratio(&draw, a);
        sum += p * stops[a - 1];
    }
    return sum / weights;
}

/* What the first `places` of a tie give to a reader who comes to it. */
static rm_code tied_value(const rm_view *view, const rm_block *block, int64_t places, double greatest,
                          rm_buffer *buffer, double *value)
{
    int64_t most = block->count < places ? block->count : places, j;
    double *stops = rm_reserve(buffer, most + 1, sizeof *stops);
    double before = 0.0;
    rm_code status = stops ? RM_OK : rm_stop(RM_NO_MEMORY, -1, -1, 0.0);
    if (status == RM_OK)
        status = mean_stops(view, block, greatest, most, stops);
    for (j = 1; j <= places && before < 1.0 && status == RM_OK; j++) {
        double stopped = chance_of_places(block, stops, j);
        if (j % 1024 == 0 && rm_stopped())
            status = rm_stop(RM_INTERRUPTED, -1, -1, 0.0);
        *value += (stopped - before) / (double)(block->start + j);
        before = stopped;
    }
    return status;
}

RM_WALKER rm_code expected_reciprocal_rank(const rm_view *view, int64_t k, double greatest, rm_buffer *buffer,
                                           int64_t row, double *value, rm_walk walk)
{
    double reached = 1.0; /* the chance that the reader comes so far */
    rm_block block;
    *value = 0.0;
    FOR_BLOCKS (block, view, k, walk) {
        double here = 0.0;
        int64_t i, end = block.first + block.count;
        for (i = block.first; i < end; i++)
            if (view->grade[i] > greatest)
                return rm_stop(RM_BAD_GRADE, row, -1, view->grade[i]);
        if (block.size == 1) {
            here = stop_chance(view->grade[block.first], greatest) / (double)(block.start + 1);
        } else {
            int64_t places = block.size < k - block.start ? block.size : k - block.start;
            rm_code status = tied_value(view, &block, places, greatest, buffer, &here);
            if (status != RM_OK)
                return status;
        }
        *value += reached * here;
        for (i = block.first; i < end; i++)
            reached *= 1.0 - stop_chance(view->grade[i], greatest);
    }
    return RM_OK;
}

rm_code rm_expected_reciprocal_rank(const rm_view *view, int64_t k, double greatest, rm_buffer *buffer,
                                    int64_t row, double *value)
{
    return FOR_WALK(expected_reciprocal_rank, view, view, k, greatest, buffer, row, value);
}
