/* Binary metrics: how many relevant entries stand in the first k places, and where. Where a block of ties
 * holds several places, the value is the exact mean over all its orders. */
#include <math.h>

#include "measure.h"

/* Places of the block within the first k. */
static int64_t places(const rm_block *block, int64_t k)
{
    int64_t room = k - block->start;
    return room < block->size ? (room > 0 ? room : 0) : block->size;
}

double rm_relevant(const rm_user *user, double min_grade)
{
    int64_t i, n = 0;
    if (min_grade == 0.0)
        return (double)user->n;
    for (i = 0; i < user->n; i++)
        n += user->grade[i] >= min_grade;
    return (double)n;
}

/* Each relevant entry of a block is in the first k with probability places / size. */
RM_WALKER double hits(const rm_view *view, int64_t k, double min_grade, rm_walk walk)
{
    double hits = 0.0;
    rm_block block;
    FOR_BLOCKS (block, view, k, walk) {
        double relevant = (double)rm_block_relevant(view, &block, min_grade);
        hits += block.size == 1 ? relevant : relevant * (double)places(&block, k) / (double)block.size;
    }
    return hits;
}

double rm_hits(const rm_view *view, int64_t k, double min_grade)
{
    return FOR_WALK(hits, view, view, k, min_grade);
}

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

RM_WALKER double hit(const rm_view *view, int64_t k, double min_grade, rm_walk walk)
{
    rm_block block;
    FOR_BLOCKS (block, view, k, walk) {
        int64_t relevant = rm_block_relevant(view, &block, min_grade), m = places(&block, k);
        if (relevant == 0)
            continue;
        /* Only a block cut by k can miss, and it is the last one. */
        return m + relevant > block.size ? 1.0 : any_among(block.size, relevant, m);
    }
    return 0.0;
}

double rm_hit(const rm_view *view, int64_t k, double min_grade)
{
    return FOR_WALK(hit, view, view, k, min_grade);
}

/* The first of c relevant among t places is at place i with probability C(t - i, c - 1) / C(t, c). */
RM_WALKER double reciprocal_rank(const rm_view *view, int64_t k, double min_grade, rm_walk walk)
{
    int64_t i;
    rm_block block;
    FOR_BLOCKS (block, view, k, walk) {
        int64_t c = rm_block_relevant(view, &block, min_grade), t = block.size, m = places(&block, k);
        double sum = 0.0, first_here;
        if (c == 0)
            continue;
        if (t == 1)
            return 1.0 / (double)(block.start + 1);
        first_here = (double)c / (double)t;
        for (i = 1; i <= m && first_here > 0.0; i++) {
            sum += first_here / (double)(block.start + i);
            first_here *= (double)(t - i - c + 1) / (double)(t - i);
        }
        return sum;
    }
    return 0.0;
}

double rm_reciprocal_rank(const rm_view *view, int64_t k, double min_grade)
{
    return FOR_WALK(reciprocal_rank, view, view, k, min_grade);
}

/* Sum of h(rank) / rank over the relevant entries in the first k. At place j of a block, one is relevant with
 * probability c / t, and then c - 1 others share the t - 1 other places, j - 1 of them before it. */
RM_WALKER double precision_sum(const rm_view *view, int64_t k, double min_grade, rm_walk walk)
{
    double sum = 0.0;
    int64_t j, hits = 0;
    rm_block block;
    FOR_BLOCKS (block, view, k, walk) {
        int64_t c = rm_block_relevant(view, &block, min_grade), t = block.size, m;
        double share, others;
        hits += c;
        if (t == 1 && c == 1)
            sum += (double)hits / (double)(block.start + 1);
        if (t == 1 || c == 0)
            continue;
        m = places(&block, k);
        share = (double)c / (double)t;
        others = (double)(c - 1) / (double)(t - 1);
        for (j = 1; j <= m; j++)
            sum += share * ((double)(hits - c + 1) + (double)(j - 1) * others) / (double)(block.start + j);
    }
    return sum;
}

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

double rm_precision_sum(const rm_view *view, int64_t k, double min_grade)
{
    return FOR_WALK(precision_sum, view, view, k, min_grade);
}

/* Each of the c relevant entries of a block is at each of its t places with probability 1 / t. */
RM_WALKER double biased_precision(const rm_view *view, int64_t k, double min_grade, double p, rm_walk walk)
{
    double sum = 0.0;
    rm_block block;
    FOR_BLOCKS (block, view, k, walk) {
        double share = (double)rm_block_relevant(view, &block, min_grade) / (double)block.size;
        double before = (double)block.start, behind = before + (double)places(&block, k);
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
