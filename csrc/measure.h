/* One user's ranks as the metrics see them. */
#ifndef RANKMILL_MEASURE_H
#define RANKMILL_MEASURE_H

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

static inline rm_block rm_first_block(const rm_view *view, rm_walk walk)
{
    rm_block block = {0};
    rm_make_block(view, &block, walk);
    return block;
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
    for ((block) = rm_first_block(view, walk); (block).start < (k); rm_next_block(view, &(block), walk))

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

/* A gain of the plan with those of small whole grades looked up beforehand. */
#define RM_SMALL_GRADES 32
typedef struct {
    const rm_gain *gain;
    double small[RM_SMALL_GRADES];
} rm_gains;

/* The discounts of the first n places; further ones compute theirs. */
typedef struct {
    rm_discount_kind kind;
    int64_t n;
    double *table;
} rm_discounts;

/* Users with more entries than this are huge: what is kept for an entry counts. */
#define RM_HUGE 4096

typedef struct {
    rm_view views[RM_N_TIES];
    int64_t candidates;
    int64_t n;              /* entries, candidates or not */
    const double *grade;    /* all entries, as stored */
    const rm_gains *gains;  /* of the metric at hand */
    double *gain;           /* what they give for each entry; NULL for a huge user: made when asked for */
    rm_discounts discounts; /* of the metric at hand */
} rm_user;

double rm_make_discount(rm_discount_kind kind, int64_t i);

/* The discount of the 0-based place i. */
static inline double rm_discount(const rm_user *user, int64_t i)
{
    const rm_discounts *discounts = &user->discounts;
    return i < discounts->n ? discounts->table[i] : rm_make_discount(discounts->kind, i);
}

/* What a call measures, and where to. */
typedef struct {
    const rm_plan *plan;
    int64_t n_users;
    double *values;
    int64_t *undefined;
    rm_discounts *discounts; /* those of the plan */
    rm_gains *gains;
    int used[RM_N_TIES];
    int any_graded;  /* some metric reads gains */
    int32_t *ideals; /* the metrics that compare with the best order, by gain */
    int32_t n_ideals;
} rm_meter;

typedef struct {
    rm_user user;
    rm_code status;
    rm_buffer *shared; /* room that someone else has done with; NULL: own */
    rm_buffer gain, ideals, own_order, stops;
    int32_t *order;  /* of all entries, for whoever needs one; NULL until someone does */
    int by_position; /* whether it is that of the positions */
    int gain_index;  /* the gains that are loaded, or -1 */
} rm_measure_scratch;

static inline int rm_has_ideal(const rm_metric *metric)
{
    return metric->kind == RM_IDCG || metric->kind == RM_NDCG;
}

/* ---- all users (measure.c), one user (measure_user.c) ---- */

/* 0 when memory is short. `longest`: no list or ideal is longer. */
int rm_open_meter(rm_meter *meter, const rm_plan *plan, int64_t n_users, int64_t longest, double *values,
                  int64_t *undefined);
void rm_close_meter(rm_meter *meter);
void rm_release_measure_scratch(rm_measure_scratch *scratch);
rm_code rm_measure_user(const rm_meter *meter, rm_measure_scratch *scratch, int64_t row,
                        const rm_entries *entries, int64_t n, int64_t candidates);

/* ---- views (measure_view.c) ---- */

/* Makes the views in use; those by position wait for their order. */
void rm_make_views(rm_user *user, const rm_entries *entries, const int *used);
/* Fills in the order of the entries by position. */
void rm_sort_by_position(rm_view *view, int32_t *order);

/* ---- gains (measure_gain.c) ---- */

/* The grade as an index into the small gains, or -1. */
static inline int rm_small_grade(double grade)
{
    int whole = grade > 0.0 && grade < RM_SMALL_GRADES ? (int)grade : -1;
    return (double)whole == grade ? whole : -1;
}

void rm_fill_small_gains(rm_gains *gains, const rm_gain *gain);
double rm_make_gain(const rm_gains *gains, double grade); /* not finite: the grade has none */
/* Loads the gains of all entries, and checks them. */
rm_code rm_load_gains(rm_user *user, const rm_gains *gains, int64_t row);
double rm_cumulated(const rm_user *user, const rm_view *view, int64_t k, int discounted);

/* `gain` is user->gain, which loops keep at hand. */
static inline double rm_gain_of(const rm_user *user, const double *gain, int64_t entry)
{
    return gain ? gain[entry] : rm_make_gain(user->gains, user->grade[entry]);
}

/* ---- ideals (measure_ideal.c) ---- */

/* order = the first n entries, by grade descending. */
void rm_sort_by_grade(const double *grade, int32_t *order, int64_t n);
/* Sorts the n entries that stand in `order` already. */
void rm_sort_entries(const double *grade, int32_t *order, int64_t n);
static inline void rm_swap_entries(int32_t *order, int64_t i, int64_t j)
{
    int32_t entry = order[i];
    order[i] = order[j];
    order[j] = entry;
}
int rm_descends(const double *values, int64_t n);
/* DCG of the best order, which is that of the entries, or NULL if it is the one they stand in. */
double rm_ideal(const rm_user *user, const int32_t *order, int64_t k);
/* DCG of k places that all have the gain of the best entry. */
double rm_full_ideal(const rm_user *user, const int32_t *order, int64_t k);

/* ---- ideals of what was retrieved (measure_retrieved.c) ---- */

/* Expected DCG / IDCG (ratio) or IDCG where the ideal is made of what the first k places hold; `order` has
 * room for all entries, and may be the view's own. */
rm_code rm_retrieved_ideal(const rm_user *user, const rm_view *view, int32_t *order, int64_t k, int ratio,
                           int64_t row, double *value);

/* ---- draws ---- */

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

/* ---- hits (measure_hits.c) ---- */

double rm_relevant(const rm_user *user, double min_grade); /* R */
double rm_hits(const rm_view *view, int64_t k, double min_grade);
double rm_hit(const rm_view *view, int64_t k, double min_grade);
double rm_reciprocal_rank(const rm_view *view, int64_t k, double min_grade);
double rm_precision_sum(const rm_view *view, int64_t k, double min_grade);
double rm_mean_precision(const rm_view *view, int64_t k, double min_grade); /* at the hits; 0 without */
/* (1 - p) times the sum of p^(rank - 1) over the relevant entries in the first k. */
double rm_biased_precision(const rm_view *view, int64_t k, double min_grade, double p);
/* The greatest precision at a level of recall or beyond it, or the mean over 0, 0.1, .. 1. */
rm_code rm_interpolated_precision(const rm_metric *metric, const rm_view *view, double relevant, int64_t row,
                                  double *value);
/* What trec_eval makes of a share of the relevant entries. */
static inline int64_t rm_part_of(double share, double relevant) { return (int64_t)(share * relevant + 0.9); }

/* ---- a reader who stops (measure_cascade.c) ---- */

/* The mean of 1 / rank of where the reader stops in the first k; an entry of grade g stops him with
 * probability (2^g - 1) / 2^greatest. `buffer` is for ties. */
rm_code rm_expected_reciprocal_rank(const rm_view *view, int64_t k, double greatest, rm_buffer *buffer,
                                    int64_t row, double *value);

/* ---- thresholds (measure_threshold.c): always on the view that averages ties ---- */

double rm_auc(const rm_user *user, const rm_view *view, double min_grade);
double rm_pr_auc(const rm_view *view, double relevant, double min_grade);
double rm_max_f1(const rm_view *view, double relevant, double min_grade);

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

#endif
