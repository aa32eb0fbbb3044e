/* Metrics of one kind at many cutoffs: one walk over the entries finds what all of them are made of. */
#include <stdlib.h>

#include "measure.h"

/* The other metrics are measured at each cutoff anew. */
static int walks_on(const rm_metric *metric)
{
    if (rm_has_ideal(metric))
        return metric->ideal == RM_IDEAL_ALL;
    return metric->kind < RM_AP || (metric->kind == RM_AP && metric->denominator != RM_BY_HITS);
}

static int same_number(double a, double b) { return a == b || (isnan(a) && isnan(b)); }

/* But for the cutoff. */
static int same_metric(const rm_metric *a, const rm_metric *b)
{
    return a->kind == b->kind && a->ties == b->ties && a->gain == b->gain && a->discount == b->discount &&
           a->ideal == b->ideal && a->capped_precision == b->capped_precision &&
           a->denominator == b->denominator && a->needs_relevant == b->needs_relevant &&
           a->nearest_level == b->nearest_level && a->min_grade == b->min_grade &&
           same_number(a->parameter, b->parameter);
}

/* By the first metric that differs in nothing but the cutoff, then by cutoff. */
typedef struct {
    int32_t first, asked;
    int64_t k;
} ordered_metric;

static int compare_metrics(const void *one, const void *other)
{
    const ordered_metric *a = one, *b = other;
    if (a->first != b->first)
        return a->first < b->first ? -1 : 1;
    if (a->k != b->k)
        return a->k < b->k ? -1 : 1;
    return a->asked < b->asked ? -1 : a->asked > b->asked;
}

/* `first` is room for the metrics that come first. */
static void list_metrics(const rm_plan *plan, int32_t *first, ordered_metric *order)
{
    int32_t n_first = 0, i, j;
    for (i = 0; i < plan->n_metrics; i++) {
        for (j = 0; j < n_first && !same_metric(&plan->metrics[first[j]], &plan->metrics[i]);)
            j++;
        if (j == n_first)
            first[n_first++] = i;
        order[i] = (ordered_metric){first[j], i, plan->metrics[i].k};
    }
}

int rm_order_metrics(const rm_plan *plan, rm_metric *metrics, int32_t *asked)
{
    size_t n = (size_t)plan->n_metrics, i;
    ordered_metric *order = malloc((n + 1) * sizeof *order);
    int done = order != NULL;
    if (done) {
        list_metrics(plan, asked, order);
        qsort(order, n, sizeof *order, compare_metrics);
    }
    for (i = 0; done && i < n; i++) {
        asked[i] = order[i].asked;
        metrics[i] = plan->metrics[asked[i]];
    }
    free(order);
    return done;
}

rm_family rm_next_family(const rm_plan *plan, int32_t first)
{
    const rm_metric *metric = &plan->metrics[first];
    rm_family family = {.first = first, .n = 1, .least = rm_plainness_for(metric)};
    if (!walks_on(metric))
        return family;
    while (first + family.n < plan->n_metrics && same_metric(metric, metric + family.n) &&
           metric[family.n].k >= metric[family.n - 1].k)
        family.n++;
    return family;
}

/* What is found within each cutoff. */
static void walk(const rm_metric *metric, const rm_user *user, const rm_view *view, const rm_cutoffs *cutoffs)
{
    double least = metric->min_grade;
    switch (metric->kind) {
    case RM_CG:
    case RM_DCG:
    case RM_NDCG:
        rm_cumulated_at(user, view, cutoffs, metric->kind != RM_CG);
        break;
    case RM_HIT:
        rm_hit_at(view, cutoffs, least);
        break;
    case RM_MRR:
        rm_reciprocal_rank_at(view, cutoffs, least);
        break;
    case RM_AP:
        rm_precision_sum_at(view, cutoffs, least);
        break;
    default:
        rm_hits_at(view, cutoffs, least);
    }
}

static void graded_values(const rm_meter *m, const rm_family *family, rm_measure_scratch *s,
                          const rm_view *view, const rm_cutoffs *cutoffs, int64_t row)
{
    const rm_metric *metric = &m->plan->metrics[family->first];
    double *values = cutoffs->values;
    const double *ideals = rm_has_ideal(metric) ? (const double *)s->ideals.data + family->first : values;
    int32_t j;
    s->status = rm_load(m, s, metric, row);
    if (s->status != RM_OK)
        return;
    if (metric->kind != RM_IDCG)
        walk(metric, &s->user, view, cutoffs);
    for (j = 0; j < family->n; j++) {
        if (isinf(ideals[j]) || (metric->kind != RM_IDCG && isinf(values[j]))) {
            s->status = rm_stop(RM_SUM_OVERFLOW, row, -1, ideals[j]);
            return;
        }
        if (metric->kind == RM_IDCG)
            values[j] = ideals[j];
        else if (metric->kind == RM_NDCG)
            values[j] = ideals[j] == 0.0 ? NAN : rm_ndcg(values[j], ideals[j]);
    }
}

static void binary_values(const rm_metric *metrics, const rm_user *user, const rm_view *view,
                          const rm_cutoffs *cutoffs)
{
    double relevant = rm_relevant(user, metrics->min_grade);
    int32_t j;
    if (relevant == 0.0 && rm_needs_relevant(metrics)) {
        rm_fill_cutoffs(cutoffs, NAN);
        return;
    }
    walk(metrics, user, view, cutoffs);
    if (metrics->kind == RM_HIT || metrics->kind == RM_MRR)
        return;
    for (j = 0; j < cutoffs->n; j++)
        cutoffs->values[j] = rm_share_of(&metrics[j], user->candidates, relevant, cutoffs->values[j]);
}

void rm_measure_family(const rm_meter *m, const rm_family *family, rm_measure_scratch *s, int64_t row)
{
    const rm_metric *metrics = &m->plan->metrics[family->first];
    const rm_view *view = rm_view_of(metrics, s);
    rm_cutoffs cutoffs = {m->cutoffs + family->first, family->n, NULL};
    int32_t j;
    cutoffs.values = rm_reserve(&s->values, family->n, sizeof *cutoffs.values);
    if (!cutoffs.values)
        s->status = rm_stop(RM_NO_MEMORY, -1, -1, 0.0);
    if (s->status != RM_OK)
        return;
    if (metrics->needs_relevant && rm_relevant(&s->user, metrics->min_grade) == 0.0)
        rm_fill_cutoffs(&cutoffs, NAN);
    else if (metrics->kind <= RM_NDCG)
        graded_values(m, family, s, view, &cutoffs, row);
    else
        binary_values(metrics, &s->user, view, &cutoffs);
    for (j = 0; j < family->n && s->status == RM_OK; j++)
        rm_keep_value(m, family->first + j, row, cutoffs.values[j]);
}
