/* How many of the places that a cutoff leaves to a tie fall to some of its entries. */
#ifndef RANKMILL_DRAW_H
#define RANKMILL_DRAW_H

#include <stdint.h>

/* `slots` of `pool` places are drawn, n of which are marked: the numbers of marked ones that can be, and the
 * most likely one. Others follow from it, so that none is lost to underflow that matters. */
typedef struct {
    int64_t pool, n, slots;
    int64_t fewest, most, mode;
} rm_draw;

static inline rm_draw rm_draw_of(int64_t pool, int64_t n, int64_t slots)
{
    rm_draw draw = {pool, n, slots, 0, slots < n ? slots : n, 0};
    if (slots > pool - n)
        draw.fewest = slots - (pool - n);
    draw.mode = (int64_t)((double)(slots + 1) * (double)(n + 1) / (double)(pool + 2));
    if (draw.mode < draw.fewest)
        draw.mode = draw.fewest;
    if (draw.mode > draw.most)
        draw.mode = draw.most;
    return draw;
}

/* P(c) / P(c - 1), a hypergeometric law. */
static inline double rm_draw_ratio(const rm_draw *d, int64_t c)
{
    return (double)(d->n - c + 1) * (double)(d->slots - c + 1) /
           ((double)c * (double)(d->pool - d->n - d->slots + c));
}

#endif
