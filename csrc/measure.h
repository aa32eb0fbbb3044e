/* One user's ranks as the metrics see them. */
#ifndef RANKMILL_MEASURE_H
#define RANKMILL_MEASURE_H

#include <math.h>

#include "plain.h"
#include "shares.h"

/* A gain of the plan with those of small whole grades looked up beforehand. */
#define RM_SMALL_GRADES 32
typedef struct {
    const rm_gain *gain;
    double small[RM_SMALL_GRADES];
} rm_gains;

/* The discounts of the first n places, and a 0; further ones compute theirs. */
#define RM_MOST_DISCOUNTS 65536
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

/* Metrics of the plan that are one metric at ascending cutoffs: `n` from number `first` on. Users as plain as
 * `least` or plainer are measured together, the others one by one. */
typedef struct {
    int32_t first, n;
    rm_plainness least;
    int by_columns; /* whether kernels of columns measure it */
} rm_family;

/* What a call measures, and where to. */
typedef struct {
    const rm_plan *plan; /* `ordered`: the caller's, with the metrics of a family together */
    rm_plan ordered;
    int32_t *asked; /* where the caller has each of them */
    const rm_kernels *kernels;
    int64_t n_users;
    double *values;
    int64_t *undefined;
    rm_discounts *discounts; /* those of the plan */
    rm_gains *gains;
    int used[RM_N_TIES];
    int any_graded; /* some metric reads gains */
    rm_family *families;
    int32_t n_families;
    rm_plainness plainest; /* asked of a user to be measured together for all families */
    int64_t *cutoffs;      /* of all metrics */
    int32_t *ideals;       /* the families that compare with the best order, by gain */
    int32_t n_ideals;
} rm_meter;

typedef struct {
    rm_user user;
    rm_plainness plainness;
    rm_together together;
    rm_code status;
    rm_buffer *shared; /* room that someone else has done with; NULL: own */
    rm_buffer gain, ideals, values, own_order, stops;
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
int rm_open_meter(rm_meter *meter, const rm_plan *plan, const rm_run *run, int64_t n_users, int64_t longest,
                  double *values, int64_t *undefined);
void rm_close_meter(rm_meter *meter);
void rm_release_measure_scratch(rm_measure_scratch *scratch);
/* The families that a user of this plainness is not measured together with others for. */
rm_code rm_measure_user(const rm_meter *meter, rm_measure_scratch *scratch, int64_t row,
                        const rm_entries *entries, int64_t n, int64_t candidates, rm_plainness plainness);

/* ---- users together (measure_plain.c) ---- */

rm_plainness rm_plainness_for(const rm_metric *metric);
int rm_suits_columns(const rm_meter *meter, const rm_family *family); /* measure_columns.c */
/* Measures n <= RM_TOGETHER users, whose ranks start at the offsets of `rows`. */
rm_code rm_measure_rows(const rm_meter *meter, rm_measure_scratch *scratch, int64_t first_row,
                        const rm_entries *rows, int64_t n);

/* The same view, by position. */
const rm_view *rm_order_view(rm_measure_scratch *scratch, rm_view *view);

/* The view of a metric, brought in order where it has one. */
static inline const rm_view *rm_view_of(const rm_metric *metric, rm_measure_scratch *s)
{
    rm_view *view = &s->user.views[metric->ties];
    if (view->walk != RM_WALK_SETTLED || metric->ties != RM_TIES_POSITION || s->by_position)
        return view;
    return rm_order_view(s, view);
}

/* A user of many millions of entries must hear Ctrl-C between two passes over them. */
static inline rm_code rm_hear(const rm_user *user)
{
    return user->n > RM_STOP_EVERY && rm_stopped() ? rm_stop(RM_INTERRUPTED, -1, -1, 0.0) : RM_OK;
}

/* ---- families (measure_family.c) ---- */

/* Metrics that are one but for their cutoffs come together, ascending; 0 when memory is short. */
int rm_order_metrics(const rm_plan *plan, rm_metric *metrics, int32_t *asked);
/* The next family from metric `first` on: one walk over the entries gives its values at all cutoffs. */
rm_family rm_next_family(const rm_plan *plan, int32_t first);
/* Measures a family of several. */
void rm_measure_family(const rm_meter *meter, const rm_family *family, rm_measure_scratch *scratch,
                       int64_t row);

static inline void rm_count_undefined(const rm_meter *m, int32_t i, int64_t n)
{
    if (n > 0) {
#pragma omp atomic
        m->undefined[m->asked[i]] += n;
    }
}

/* The values of a metric, by row. */
static inline double *rm_values_of(const rm_meter *m, int32_t i)
{
    return m->values + m->asked[i] * m->n_users;
}

/* A value, which is counted where it is undefined. */
static inline void rm_keep_value(const rm_meter *m, int32_t i, int64_t row, double value)
{
    rm_count_undefined(m, i, isnan(value) != 0);
    rm_values_of(m, i)[row] = value;
}

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
double rm_compute_gain(const rm_gain *gain, double grade); /* not finite: the grade has none */
static inline double rm_make_gain(const rm_gains *gains, double grade)
{
    int whole = rm_small_grade(grade);
    return whole >= 0 ? gains->small[whole] : rm_compute_gain(gains->gain, grade);
}

/* Loads the gains of all entries, and checks them. */
rm_code rm_load_gains(rm_user *user, const rm_gains *gains, int64_t row);

/* Loads the gains and discounts of a metric. */
static inline rm_code rm_load(const rm_meter *m, rm_measure_scratch *s, const rm_metric *metric, int64_t row)
{
    s->user.discounts = m->discounts[metric->discount];
    if (s->gain_index == metric->gain)
        return RM_OK;
    s->gain_index = metric->gain;
    return rm_load_gains(&s->user, &m->gains[metric->gain], row);
}

/* DCG, or CG, at a cutoff; at many. */
double rm_cumulated(const rm_user *user, const rm_view *view, int64_t k, int discounted);
void rm_cumulated_at(const rm_user *user, const rm_view *view, const rm_cutoffs *cutoffs, int discounted);
/* For a user without ties; and of small whole grades. */
void rm_cumulated_places(const rm_user *user, const rm_view *view, rm_cutoffs cutoffs, int discounted);
void rm_cumulated_whole(const rm_user *user, const rm_view *view, const uint8_t *grade, rm_cutoffs cutoffs,
                        int discounted);

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
void rm_ideal_at(const rm_user *user, const int32_t *order, const rm_cutoffs *cutoffs);
/* The same where all grades are small and whole: they are counted. */
void rm_ideal_of_whole(const rm_user *user, const uint8_t *grade, const rm_cutoffs *cutoffs);
/* DCG of k places that all have the gain of the best entry. */
double rm_full_ideal(const rm_user *user, const int32_t *order, int64_t k);

/* ---- ideals of what was retrieved (measure_retrieved.c) ---- */

/* Expected DCG / IDCG (ratio) or IDCG where the ideal is made of what the first k places hold; `order` has
 * room for all entries, and may be the view's own. */
rm_code rm_retrieved_ideal(const rm_user *user, const rm_view *view, int32_t *order, int64_t k, int ratio,
                           int64_t row, double *value);

/* ---- hits (measure_hits.c) ---- */

/* Entries from a grade on; of all of a user's, that is R. */
int64_t rm_from_grade(const double *grade, int64_t n, double min_grade);
static inline double rm_relevant(const rm_user *user, double min_grade)
{
    return (double)(min_grade == 0.0 ? user->n : rm_from_grade(user->grade, user->n, min_grade));
}
static inline double rm_relevant_of(const rm_view *view, double min_grade) /* where none is left out */
{
    return (double)(min_grade == 0.0 ? view->n : rm_from_grade(view->grade, view->n, min_grade));
}
double rm_hits(const rm_view *view, int64_t k, double min_grade);
double rm_hit(const rm_view *view, int64_t k, double min_grade);
double rm_reciprocal_rank(const rm_view *view, int64_t k, double min_grade);
void rm_hits_at(const rm_view *view, const rm_cutoffs *cutoffs, double min_grade);
void rm_hit_at(const rm_view *view, const rm_cutoffs *cutoffs, double min_grade);
void rm_reciprocal_rank_at(const rm_view *view, const rm_cutoffs *cutoffs, double min_grade);
void rm_hits_each(const rm_view *views, int32_t n, rm_cutoffs cutoffs, double min_grade);
void rm_hit_each(const rm_view *views, int32_t n, rm_cutoffs cutoffs, double min_grade);
void rm_reciprocal_rank_each(const rm_view *views, int32_t n, rm_cutoffs cutoffs, double min_grade);
/* (1 - p) times the sum of p^(rank - 1) over the relevant entries in the first k. */
double rm_biased_precision(const rm_view *view, int64_t k, double min_grade, double p);
/* The greatest precision at a level of recall or beyond it, or the mean over 0, 0.1, .. 1. */
rm_code rm_interpolated_precision(const rm_metric *metric, const rm_view *view, double relevant, int64_t row,
                                  double *value);
/* What trec_eval makes of a share of the relevant entries. */
static inline int64_t rm_part_of(double share, double relevant) { return (int64_t)(share * relevant + 0.9); }

/* ---- average precision (measure_precision.c) ---- */

double rm_precision_sum(const rm_view *view, int64_t k, double min_grade);
void rm_precision_sum_at(const rm_view *view, const rm_cutoffs *cutoffs, double min_grade);
void rm_precision_sum_each(const rm_view *views, int32_t n, rm_cutoffs cutoffs, double min_grade);
double rm_mean_precision(const rm_view *view, int64_t k, double min_grade); /* at the hits; 0 without */

/* ---- a reader who stops (measure_cascade.c) ---- */

/* The mean of 1 / rank of where the reader stops in the first k; an entry of grade g stops him with
 * probability (2^g - 1) / 2^greatest. `buffer` is for ties. */
rm_code rm_expected_reciprocal_rank(const rm_view *view, int64_t k, double greatest, rm_buffer *buffer,
                                    int64_t row, double *value);

/* ---- thresholds (measure_threshold.c): always on the view that averages ties ---- */

double rm_auc(const rm_view *view, int64_t candidates, double min_grade);
double rm_pr_auc(const rm_view *view, double relevant, double min_grade);
double rm_max_f1(const rm_view *view, double relevant, double min_grade);
void rm_auc_each(const rm_view *views, const int64_t *candidates, int32_t n, double *values,
                 double min_grade);
void rm_pr_auc_each(const rm_view *views, int32_t n, double *values, double min_grade);
void rm_max_f1_each(const rm_view *views, int32_t n, double *values, double min_grade);

#endif
