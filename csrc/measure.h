/* One user's ranks as the metrics see them. */
#ifndef RANKMILL_MEASURE_H
#define RANKMILL_MEASURE_H

#include "internal.h"

/* A block of `size` equal places from `start` on, holding the entries first .. first + count. With ties
 * averaged, any order of the block is as likely; otherwise every block has one place. */
typedef struct {
    int64_t start, size;
    int64_t first, count;
} rm_block;

/* The ranked entries of one user under one rule for ties. Within a block, grades descend. */
typedef struct {
    rm_block *blocks;
    int64_t n_blocks;
    const double *grade; /* as stored, or in the own buffer where ties are settled */
    double *own_grade;
} rm_view;

typedef struct {
    rm_view views[RM_N_TIES];
    int64_t candidates;
    int64_t n, n_ranked;    /* entries; those that are candidates */
    const double *grade;    /* all entries, as stored */
    double *gain;           /* gains of a view's grades, for the metric at hand */
    double *ideal;          /* gains of all entries, descending */
    double *work;           /* room for 2 n values */
    const double *discounts;
    int64_t n_discounts;
} rm_user;

/* 1 / log2(rank + 1) of the 0-based place i. */
double rm_discount(const rm_user *user, int64_t i);

/* ---- views (measure_view.c) ---- */

/* Builds the average view, and the others in use. */
void rm_build_views(rm_user *user, const rm_entries *entries, const int *used);

/* ---- gains (measure_gain.c) ---- */

void rm_sort_descending(double *values, int64_t n);
/* The gains of n grades; equal neighbours are looked up once. */
rm_status rm_gains_of(const rm_gain *gain, const double *grades, int64_t n, int64_t row, double *gains);
double rm_cumulated(const rm_user *user, const rm_view *view, int64_t k, int discounted);
double rm_ideal(const rm_user *user, int64_t k);
/* Expected DCG / IDCG (ratio) or IDCG where the ideal is made of what the first k places hold. */
rm_status rm_retrieved_ideal(const rm_user *user, const rm_view *view, int64_t k, int ratio, int64_t row,
                             double *value);

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
