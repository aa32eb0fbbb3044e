/* Walks over the entries of one user, by blocks of equal scores, up to one cutoff or many. */
#ifndef RANKMILL_WALK_H
#define RANKMILL_WALK_H

#include "internal.h"

/* How the entries of a user are walked: as they stand where nothing ties, else by blocks of equal scores, or
 * one by one in the order that a rule gives. */
typedef enum { RM_WALK_PLACES, RM_WALK_TIES, RM_WALK_SETTLED } rm_walk;

/* The candidates among one user's entries under one rule for ties. Entries of the same score stand together,
 * grades descending. Nothing is copied: rules differ in how they walk. */
typedef struct {
    int64_t n;
    const int32_t *place; /* where the entry's tie starts */
    const int32_t *tied;  /* its size */
    const double *grade;
    rm_walk walk;
    rm_ties ties;
    const int32_t *position, *by_position; /* RM_TIES_POSITION, settled: places, and the entries in order */
} rm_view;

/* A block of `size` equal places from `start` on, holding the entries first .. first + count. With ties
 * averaged, any order of the block is as likely; otherwise every block has one place. */
typedef struct {
    int64_t start, size;
    int64_t first, count;
    int64_t step;               /* RM_WALK_SETTLED: blocks before this one */
    int64_t tie_first, tie_end; /* entries that tie with it */
} rm_block;

/* Best: the entries of a tie take its first places in order of grade; worst: its last, in reverse. */
static inline void rm_settle_block(const rm_view *view, rm_block *block)
{
    int64_t i = block->step;
    block->size = block->count = 1;
    if (view->ties == RM_TIES_POSITION) {
        block->first = view->by_position[i];
        block->start = view->position[block->first];
        return;
    }
    if (i == block->tie_end) {
        block->tie_first = i;
        while (block->tie_end < view->n && view->place[block->tie_end] == view->place[i])
            block->tie_end++;
    }
    block->first = i;
    block->start = view->place[i] + (i - block->tie_first);
    if (view->ties == RM_TIES_WORST) {
        block->first = block->tie_first + block->tie_end - 1 - i;
        block->start = view->place[i] + view->tied[i] - (block->tie_end - i);
    }
}

/* Makes the block of step block->step, or, unless the walk is settled, of the entry block->first. Past the
 * end, one that starts nowhere. */
static inline void rm_make_block(const rm_view *view, rm_block *block, rm_walk walk)
{
    int64_t i = walk == RM_WALK_SETTLED ? block->step : block->first;
    block->start = INT64_MAX;
    if (i >= view->n)
        return;
    if (walk == RM_WALK_SETTLED) {
        rm_settle_block(view, block);
        return;
    }
    block->start = view->place[i];
    block->size = walk == RM_WALK_TIES ? view->tied[i] : 1;
    block->count = 1;
    if (walk == RM_WALK_TIES && block->size > 1)
        while (i + block->count < view->n && view->place[i + block->count] == view->place[i])
            block->count++;
}

static inline void rm_first_block(const rm_view *view, rm_block *block, rm_walk walk)
{
    memset(block, 0, sizeof *block);
    rm_make_block(view, block, walk);
}

static inline void rm_next_block(const rm_view *view, rm_block *block, rm_walk walk)
{
    if (walk == RM_WALK_SETTLED)
        block->step++;
    else
        block->first += block->count;
    rm_make_block(view, block, walk);
}

/* The blocks that start in the first k places; walk is view->walk. */
#define FOR_BLOCKS(block, view, k, walk) \
    for (rm_first_block(view, &(block), walk); (block).start < (k); rm_next_block(view, &(block), walk))
/* Those from `block` on. */
#define FOR_FURTHER_BLOCKS(block, view, k, walk) \
    for (; (block).start < (k); rm_next_block(view, &(block), walk))

/* A function whose last argument is the walk, compiled for each: most users have no tie, and few rules but
 * the average are asked for. */
#ifdef __GNUC__
#define RM_WALKER static inline __attribute__((always_inline))
#else
#define RM_WALKER static inline
#endif
#define FOR_WALK(function, view, ...)                                       \
    ((view)->walk == RM_WALK_PLACES ? function(__VA_ARGS__, RM_WALK_PLACES) \
     : (view)->walk == RM_WALK_TIES ? function(__VA_ARGS__, RM_WALK_TIES)   \
                                    : function(__VA_ARGS__, RM_WALK_SETTLED))

/* Relevant entries of a block: grades descend, so they are its first ones. */
static inline int64_t rm_block_relevant(const rm_view *view, const rm_block *block, double min_grade)
{
    int64_t n = 0;
    if (min_grade == 0.0) /* every stored grade is > 0 */
        return block->count;
    while (n < block->count && view->grade[block->first + n] >= min_grade)
        n++;
    return n;
}

/* Places of the block within the first k. */
static inline int64_t rm_places_within(const rm_block *block, int64_t k)
{
    int64_t room = k - block->start;
    return room < block->size ? (room > 0 ? room : 0) : block->size;
}

/* Ascending cutoffs: a walk up to one of them goes on to the next, so that many cost one walk. */
typedef struct {
    const int64_t *k;
    int32_t n;
    double *values;
} rm_cutoffs;

/* The functions that call a walker: `name` for one cutoff, for which it is compiled apart, and `name`_at. */
#define DEFINE_AT(name, walker)                                                      \
    double name(const rm_view *view, int64_t k, double min_grade)                    \
    {                                                                                \
        double value;                                                                \
        rm_cutoffs one = {&k, 1, &value};                                            \
        FOR_WALK(walker, view, view, &one, min_grade);                               \
        return value;                                                                \
    }                                                                                \
    void name##_at(const rm_view *view, const rm_cutoffs *cutoffs, double min_grade) \
    {                                                                                \
        FOR_WALK(walker, view, view, cutoffs, min_grade);                            \
    }

/* The same for n users whose entries are walked as they stand, the values of one after those of another. */
#define DEFINE_EACH(name, walker)                                                                  \
    void name##_each(const rm_view *views, int32_t n, rm_cutoffs cutoffs, double min_grade)        \
    {                                                                                              \
        int32_t u;                                                                                 \
        for (u = 0; u < n; u++)                                                                    \
            walker(&views[u], &(rm_cutoffs){cutoffs.k, cutoffs.n, cutoffs.values + u * cutoffs.n}, \
                   min_grade, RM_WALK_PLACES);                                                     \
    }

static inline void rm_fill_cutoffs(const rm_cutoffs *cutoffs, double value)
{
    int32_t j;
    for (j = 0; j < cutoffs->n; j++)
        cutoffs->values[j] = value;
}

#endif
