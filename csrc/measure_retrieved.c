/* NDCG and IDCG whose ideal is made of what was retrieved: with a tie at the cutoff, that is a matter of
 * chance. */
#include <math.h>

#include "draw.h"
#include "measure.h"

/* More draws than this are refused, and so are more levels, each of which is a call deep. */
#define MOST_DRAWS (1 << 20)
#define MOST_LEVELS 1024

/* Entries of equal gain in the cut block, of which `taken` are retrieved. */
typedef struct {
    int64_t size, taken;
    double gain;
} level;

/* Which entries of a block cut by k are retrieved is a matter of chance: only the number taken from each
 * level matters, and those numbers follow a multivariate hypergeometric law. */
typedef struct {
    const rm_user *user;
    const int32_t *fixed; /* entries retrieved for certain, best first */
    int64_t n_fixed;
    level *levels; /* best first; what is not relevant is in none */
    int64_t n_levels;
    double fixed_dcg, cut_discounts;
    int64_t slots;
    int ratio;
    int64_t draws;
    double sum;
    rm_code failed;
} lottery;

static double discounted_places(const rm_user *user, int64_t from, int64_t to)
{
    double sum = 0.0;
    for (; from < to; from++)
        sum += rm_discount(user, from);
    return sum;
}

/* IDCG of the fixed entries and those taken. */
static double merged_ideal(const lottery *l)
{
    double sum = 0.0;
    int64_t f = 0, place = 0, at, i;
    for (at = 0; at < l->n_levels; at++) {
        const level *here = &l->levels[at];
        if (here->taken == 0)
            continue;
        for (; f < l->n_fixed && rm_gain_of(l->user, l->user->gain, l->fixed[f]) >= here->gain; f++)
            sum += rm_gain_of(l->user, l->user->gain, l->fixed[f]) * rm_discount(l->user, place++);
        for (i = 0; i < here->taken; i++)
            sum += here->gain * rm_discount(l->user, place++);
    }
    for (; f < l->n_fixed; f++)
        sum += rm_gain_of(l->user, l->user->gain, l->fixed[f]) * rm_discount(l->user, place++);
    return sum;
}

static void draw_end(lottery *l, double probability, double gains)
{
    double ideal = merged_ideal(l);
    double dcg = l->fixed_dcg + (l->slots ? gains / (double)l->slots * l->cut_discounts : 0.0);
    if (++l->draws > MOST_DRAWS)
        l->failed = RM_TOO_MANY_ORDERS;
    if (l->draws % 256 == 0 && rm_stopped())
        l->failed = RM_INTERRUPTED;
    if (!l->ratio)
        l->sum += probability * ideal;
    else if (ideal > 0.0)
        l->sum += probability * (dcg < ideal ? dcg / ideal : 1.0); /* more is rounding */
}

static void draw_level(lottery *l, int64_t at, int64_t pool, int64_t slots, double probability, double gains);

/* Takes c entries from a level. */
static void draw(lottery *l, int64_t at, int64_t pool, int64_t slots, int64_t c, double probability,
                 double gains)
{
    level *here = &l->levels[at];
    here->taken = c;
    if (probability > 0.0)
        draw_level(l, at + 1, pool - here->size, slots - c, probability, gains + (double)c * here->gain);
    here->taken = 0;
}

/* Takes any possible number from each level. */
static void draw_level(lottery *l, int64_t at, int64_t pool, int64_t slots, double probability, double gains)
{
    double p, sum = 1.0;
    int64_t c;
    rm_draw d;
    if (at == l->n_levels) {
        draw_end(l, probability, gains);
        return;
    }
    d = rm_draw_of(pool, l->levels[at].size, slots);
    for (p = 1.0, c = d.mode + 1; c <= d.most && p > 0.0; c++)
        sum += p *= rm_draw_ratio(&d, c);
    for (p = 1.0, c = d.mode; c > d.fewest && p > 0.0; c--)
        sum += p /= rm_draw_ratio(&d, c);
    draw(l, at, pool, slots, d.mode, probability / sum, gains);
    for (p = probability / sum, c = d.mode + 1; c <= d.most && p > 0.0 && l->failed == RM_OK; c++)
        draw(l, at, pool, slots, c, p *= rm_draw_ratio(&d, c), gains);
    for (p = probability / sum, c = d.mode; c > d.fewest && p > 0.0 && l->failed == RM_OK; c--)
        draw(l, at, pool, slots, c - 1, p /= rm_draw_ratio(&d, c), gains);
}

/* The levels of the cut block; 0 if there are too many. */
static int find_levels(lottery *l, const rm_block *block)
{
    int64_t i;
    for (i = block->first; i < block->first + block->count; i++) {
        double gain = rm_gain_of(l->user, l->user->gain, i);
        if (l->n_levels > 0 && l->levels[l->n_levels - 1].gain == gain) {
            l->levels[l->n_levels - 1].size++;
            continue;
        }
        if (l->n_levels == MOST_LEVELS)
            return 0;
        l->levels[l->n_levels++] = (level){1, 0, gain};
    }
    return 1;
}

rm_code rm_retrieved_ideal(const rm_user *user, const rm_view *view, int32_t *order, int64_t k, int ratio,
                           int64_t row, double *value)
{
    level levels[MOST_LEVELS];
    lottery l = {.user = user, .fixed = order, .levels = levels, .ratio = ratio};
    int64_t certain = 0, pool = 0, i;
    int few = 1;
    rm_block block, cut = {0};
    FOR_BLOCKS (block, view, k, view->walk) {
        if (block.size > k - block.start) {
            cut = block;
            certain = block.start;
        } else {
            certain = block.start + block.size;
        }
    }
    l.fixed_dcg = rm_cumulated(user, view, certain, 1);
    FOR_BLOCKS (block, view, certain, view->walk)
        for (i = 0; i < block.count; i++)
            order[l.n_fixed++] = (int32_t)(block.first + i);
    rm_sort_entries(user->grade, order, l.n_fixed);
    if (cut.size > 0) {
        pool = cut.size;
        l.slots = k - cut.start;
        l.cut_discounts = discounted_places(user, cut.start, k);
        few = find_levels(&l, &cut);
    }
    if (few)
        draw_level(&l, 0, pool, l.slots, 1.0, 0.0);
    if (!few || l.failed == RM_TOO_MANY_ORDERS)
        return rm_stop(RM_TOO_MANY_ORDERS, row, -1, (double)k);
    if (l.failed != RM_OK)
        return rm_stop(l.failed, -1, -1, 0.0);
    if (!isfinite(l.sum))
        return rm_stop(RM_SUM_OVERFLOW, row, -1, l.sum);
    *value = ratio && l.sum > 1.0 ? 1.0 : l.sum; /* more is rounding */
    return RM_OK;
}
