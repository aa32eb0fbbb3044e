/* Average precision: precision at the ranks of the relevant entries, summed or averaged. */
#include "draw.h"
#include "measure.h"

/* Sum of h(rank) / rank over the relevant entries in the first k. At place j of a block, one is relevant with
 * probability c / t, and then c - 1 others share the t - 1 other places, j - 1 of them before it. */
RM_WALKER void precision_sum(const rm_view *view, const rm_cutoffs *cutoffs, double min_grade, rm_walk walk)
{
    double sum = 0.0;
    int64_t i = 1, before = 0; /* the next place of a block; relevant entries before it */
    int32_t j;
    rm_block block;
    rm_first_block(view, &block, walk);
    for (j = 0; j < cutoffs->n; j++) {
        int64_t k = cutoffs->k[j];
        FOR_FURTHER_BLOCKS (block, view, k, walk) {
            int64_t c = rm_block_relevant(view, &block, min_grade), t = block.size, m;
            double share, others;
            if (t == 1 && c == 1)
                sum += (double)(before + 1) / (double)(block.start + 1);
            if (t > 1 && c > 0) {
                m = rm_places_within(&block, k);
                share = (double)c / (double)t;
                others = (double)(c - 1) / (double)(t - 1);
                for (; i <= m; i++)
                    sum +=
                        share * ((double)(before + 1) + (double)(i - 1) * others) / (double)(block.start + i);
                if (m < t)
                    break;
                i = 1;
            }
            before += c;
        }
        cutoffs->values[j] = sum;
    }
}

DEFINE_AT(rm_precision_sum, precision_sum)
DEFINE_EACH(rm_precision_sum, precision_sum)

/* A block cut by k: m of its relevant entries fall on its `places` within k. Then each of those has one with
 * probability m / places, after (m - 1) / (places - 1) per place before it. */
typedef struct {
    double hits, sum;   /* before the block */
    double first, rest; /* sums over its places: of 1 / rank, and of places before in the block / rank */
    int64_t places;
} cut_block;

static double mean_with(const cut_block *cut, int64_t m)
{
    double hits = cut->hits + (double)m, others = 0.0;
    if (hits == 0.0)
        return 0.0;
    if (cut->places > 1)
        others = (double)(m - 1) / (double)(cut->places - 1);
    return (cut->sum +
            (double)m / (double)cut->places * ((cut->hits + 1.0) * cut->first + others * cut->rest)) /
           hits;
}

/* How many of its relevant entries fall within k is a matter of chance. */
static double mean_over_draws(const cut_block *cut, const rm_draw *draw)
{
    double p = 1.0, weights = 1.0, sum = mean_with(cut, draw->mode);
    int64_t m;
    for (m = draw->mode + 1; m <= draw->most && p > 0.0; m++) {
        weights += p *= rm_draw_ratio(draw, m);
        sum += p * mean_with(cut, m);
    }
    for (p = 1.0, m = draw->mode; m > draw->fewest && p > 0.0; m--) {
        weights += p /= rm_draw_ratio(draw, m);
        sum += p * mean_with(cut, m - 1);
    }
    return sum / weights;
}

RM_WALKER double mean_precision(const rm_view *view, int64_t k, double min_grade, rm_walk walk)
{
    rm_block block, last = {0};
    cut_block cut = {0};
    rm_draw draw;
    int64_t j;
    FOR_BLOCKS (block, view, k, walk) {
        if (block.size > k - block.start)
            last = block;
        else
            cut.hits += (double)rm_block_relevant(view, &block, min_grade);
    }
    cut.sum = rm_precision_sum(view, last.size > 0 ? last.start : k, min_grade);
    if (last.size == 0)
        return cut.hits > 0.0 ? cut.sum / cut.hits : 0.0;
    cut.places = k - last.start;
    for (j = 1; j <= cut.places; j++) {
        cut.first += 1.0 / (double)(last.start + j);
        cut.rest += (double)(j - 1) / (double)(last.start + j);
    }
    draw = rm_draw_of(last.size, rm_block_relevant(view, &last, min_grade), cut.places);
    return mean_over_draws(&cut, &draw);
}

double rm_mean_precision(const rm_view *view, int64_t k, double min_grade)
{
    return FOR_WALK(mean_precision, view, view, k, min_grade);
}
