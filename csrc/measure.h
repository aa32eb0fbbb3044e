/* One user's ranks as the metrics see them. */
#ifndef RANKMILL_MEASURE_H
#define RANKMILL_MEASURE_H

#include "internal.h"

/* A block of `size` equal places from `start` on, holding the entries first .. first + count. With ties
 * averaged, any order of the block is as likely; otherwise every block has one place. Most users have no tie:
 * what walks blocks is compiled twice, and without ties it walks entries. */
typedef struct {
    int64_t start, size;
    int64_t first, count;
} rm_block;

/* The ranked entries of one user under one rule for ties. Within a block, grades descend. */
typedef struct {
    int64_t n;
    const int32_t *place; /* where the entry's block starts */
    const int32_t *tied;  /* its size; NULL: nothing ties, so it is 1 throughout */
    const double *grade;
    int32_t *own_place; /* room for places and grades that differ from the stored entries */
    double *own_grade;
} rm_view;

/* The block that starts with entry i; past the end, one that starts nowhere. */
static inline rm_block rm_block_at(const rm_view *view, int64_t i, int any_tied)
{
    rm_block block = {INT64_MAX, 0, i, 0};
    if (i >= view->n)
        return block;
    block.start = view->place[i];
    block.size = any_tied ? view->tied[i] : 1;
    block.count = 1;
    if (any_tied && block.size > 1)
        while (i + block.count < view->n && view->place[i + block.count] == view->place[i])
            block.count++;
    return block;
}

/* The blocks that start in the first k places; any_tied is view->tied != NULL. */
#define FOR_BLOCKS(block, view, k, any_tied)                            \
    for ((block) = rm_block_at(view, 0, any_tied); (block).start < (k); \
         (block) = rm_block_at(view, (block).first + (block).count, any_tied))

/* Both copies of a function whose last argument is any_tied. */
#define EITHER(function, view, ...) ((view)->tied ? function(__VA_ARGS__, 1) : function(__VA_ARGS__, 0))

typedef struct {
    rm_view views[RM_N_TIES];
    int64_t candidates;
    int64_t n;           /* entries, candidates or not */
    const double *grade; /* all entries, as stored */
    double *gain;        /* gains of a view's grades for the metric at hand, or of all in ideal order */
    double *work;        /* room for 4 n values */
    const double *discounts;
    int64_t n_discounts;
} rm_user;

/* 1 / log2(rank + 1) of the 0-based place i. */
double rm_discount(const rm_user *user, int64_t i);

/* What a call measures, and where to. */
typedef struct {
    const rm_plan *plan;
    int64_t n_users;
    double *values;
    int64_t *undefined;
    double *discounts;
    int64_t n_discounts;
    double *small_gains; /* RM_SMALL_GRADES for each gain of the plan */
    int used[RM_N_TIES];
    int any_graded; /* some metric reads gains */
} rm_meter;

typedef struct {
    rm_user user;
    rm_code status;
    int64_t room;      /* the buffers hold fewer entries than this; 0: there are none yet */
    rm_buffer *shared; /* room for gains that someone else has done with; NULL: own */
    rm_buffer places[RM_N_TIES], grades[RM_N_TIES], gain, ideals, work;
    int gain_ties, gain_index, ideal_index; /* what the buffers hold; -1: nothing */
} rm_measure_scratch;

/* ---- all users (measure.c), one user (measure_user.c) ---- */

/* 0 when memory is short. `longest`: no list or ideal is longer. */
int rm_open_meter(rm_meter *meter, const rm_plan *plan, int64_t n_users, int64_t longest, double *values,
                  int64_t *undefined);
void rm_close_meter(rm_meter *meter);
void rm_release_measure_scratch(rm_measure_scratch *scratch);
rm_code rm_measure_user(const rm_meter *meter, rm_measure_scratch *scratch, int64_t row,
                        const rm_entries *entries, int64_t n, int64_t candidates);

/* ---- views (measure_view.c) ---- */

void rm_average_view(rm_user *user, const rm_entries *entries);
/* Makes the others in use from it; they need room of their own only where something ties. */
void rm_settle_views(rm_user *user, const rm_entries *entries, const int *used);

/* ---- gains (measure_gain.c) ---- */

void rm_sort_descending(double *values, int64_t n);
#define RM_SMALL_GRADES 32 /* whole grades below it have their gains in a table */

void rm_fill_small_gains(const rm_gain *gain, double *small);
rm_code rm_gains_of(const rm_gain *gain, const double *small, const double *grades, int64_t n, int64_t row,
                    double *gains);
int rm_descends(const double *values, int64_t n);
void rm_sort_grades(const double *grades, int64_t n, double *sorted); /* descending */
double rm_cumulated(const rm_user *user, const rm_view *view, int64_t k, int discounted);
double rm_ideal(const rm_user *user, int64_t k); /* of gains in ideal order */
/* ---- ideals of what was retrieved (measure_retrieved.c) ---- */

/* Expected DCG / IDCG (ratio) or IDCG where the ideal is made of what the first k places hold; `work` has
 * room for 4 values per entry. */
rm_code rm_retrieved_ideal(const rm_user *user, const rm_view *view, double *work, int64_t k, int ratio,
                           int64_t row, double *value);

/* ---- hits (measure_hits.c) ---- */

double rm_relevant(const rm_user *user, double min_grade); /* R */
double rm_hits(const rm_view *view, int64_t k, double min_grade);
double rm_hit(const rm_view *view, int64_t k, double min_grade);
double rm_reciprocal_rank(const rm_view *view, int64_t k, double min_grade);
double rm_precision_sum(const rm_view *view, int64_t k, double min_grade);

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
