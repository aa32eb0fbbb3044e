/* NDCG and IDCG whose ideal is made of what was retrieved: with a tie at the cutoff, that is a matter of
 * chance. */
#include <math.h>

#include "measure.h"

#define MOST_SUBSETS (1 << 20)

static double discounted_places(const rm_user *user, int64_t from, int64_t to)
{
    double sum = 0.0;
    for (; from < to; from++)
        sum += rm_discount(user, from);
    return sum;
}

/* Which entries of a block cut by k are retrieved is a matter of chance: only the number taken from each
 * level of equal gain matters, and those numbers follow a multivariate hypergeometric law. */
typedef struct {
    const rm_user *user;
    const double *fixed; /* gains retrieved for certain, descending */
    int64_t n_fixed;
    const double *levels; /* gains of the cut block, descending, one per entry */
    int64_t n_levels;
    double *taken; /* entries taken from the level that starts here */
    double fixed_dcg, cut_discounts;
    int64_t slots;
    int ratio;
    int64_t subsets;
    double sum;
    int failed;
} lottery;

static double merged_ideal(const lottery *l)
{
    double sum = 0.0;
    int64_t f = 0, place = 0, level = 0, left = l->n_levels ? (int64_t)l->taken[0] : 0;
    for (;;) {
        while (level < l->n_levels && left == 0)
            if (++level < l->n_levels)
                left = (int64_t)l->taken[level];
        if (f == l->n_fixed && level >= l->n_levels)
            return sum;
        if (level >= l->n_levels || (f < l->n_fixed && l->fixed[f] >= l->levels[level])) {
            sum += l->fixed[f++] * rm_discount(l->user, place++);
        } else {
            sum += l->levels[level] * rm_discount(l->user, place++);
            left--;
        }
    }
}

static void draw_end(lottery *l, double probability, double gains)
{
    double ideal = merged_ideal(l);
    double dcg = l->fixed_dcg + (l->slots ? gains / (double)l->slots * l->cut_discounts : 0.0);
    if (++l->subsets > MOST_SUBSETS)
        l->failed = 1;
    if (!l->ratio)
        l->sum += probability * ideal;
    else if (ideal > 0.0)
        l->sum += probability * (dcg / ideal);
}

/* P(c of `slots` drawn from `pool` fall on n marked ones), for each c that can be. The most likely one comes
 * first and the others follow from it, so that none is lost to underflow that matters. */
static void fill_probabilities(int64_t pool, int64_t n, int64_t slots, int64_t fewest, int64_t most,
                               double *p)
{
    double others = (double)(pool - n - slots), sum = 0.0;
    int64_t mode = (int64_t)((double)(slots + 1) * (double)(n + 1) / (double)(pool + 2)), c;
    mode = mode < fewest ? fewest : mode > most ? most : mode;
    p[mode - fewest] = 1.0;
    for (c = mode; c < most; c++)
        p[c + 1 - fewest] = p[c - fewest] * (double)(n - c) * (double)(slots - c) /
                            ((double)(c + 1) * (others + (double)(c + 1)));
    for (c = mode; c > fewest; c--)
        p[c - 1 - fewest] = p[c - fewest] * (double)c * (others + (double)c) /
                            ((double)(n - c + 1) * (double)(slots - c + 1));
    for (c = fewest; c <= most; c++)
        sum += p[c - fewest];
    for (c = fewest; c <= most; c++)
        p[c - fewest] /= sum;
}

/* `room` has places for the probabilities of this level and the ones below it. */
static void draw_level(lottery *l, int64_t level, int64_t pool, int64_t slots, double probability,
                       double gains, double *room)
{
    int64_t end = level, n, fewest, most, c;
    while (end < l->n_levels && l->levels[end] == l->levels[level])
        l->taken[end++] = 0.0;
    n = end - level;
    if (n == 0) {
        draw_end(l, probability, gains);
        return;
    }
    fewest = slots > pool - n ? slots - (pool - n) : 0;
    most = slots < n ? slots : n;
    fill_probabilities(pool, n, slots, fewest, most, room);
    for (c = fewest; c <= most && !l->failed; c++) {
        double p = probability * room[c - fewest];
        l->taken[level] = (double)c;
        if (p > 0.0)
            draw_level(l, end, pool - n, slots - c, p, gains + (double)c * l->levels[level], room + n + 1);
    }
    l->taken[level] = 0.0;
}

rm_code rm_retrieved_ideal(const rm_user *user, const rm_view *view, double *work, int64_t k, int ratio,
                           int64_t row, double *value)
{
    lottery l = {.user = user, .fixed = work, .taken = work + user->n, .ratio = ratio};
    int64_t certain = 0, pool = 0;
    rm_block block;
    FOR_BLOCKS (block, view, k, view->tied != NULL) {
        if (block.size <= k - block.start) {
            certain = block.start + block.size;
            l.n_fixed = block.first + block.count;
        } else {
            certain = block.start;
            pool = block.size;
            l.slots = k - block.start;
            l.levels = user->gain + block.first;
            l.n_levels = block.count;
            l.cut_discounts = discounted_places(user, block.start, k);
        }
    }
    memcpy(work, user->gain, (size_t)l.n_fixed * sizeof *work);
    rm_sort_descending(work, l.n_fixed);
    l.fixed_dcg = rm_cumulated(user, view, certain, 1);
    draw_level(&l, 0, pool, l.slots, 1.0, 0.0, work + 2 * user->n);
    if (l.failed)
        return rm_stop(RM_TOO_MANY_ORDERS, row, -1, (double)k);
    if (!isfinite(l.sum))
        return rm_stop(RM_SUM_OVERFLOW, row, -1, l.sum);
    *value = l.sum;
    return RM_OK;
}
