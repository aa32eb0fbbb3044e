/* One user's ranks -> values: every metric of a call while the ranks are hot. */
#include "measure.h"

void rm_release_measure_scratch(rm_measure_scratch *s)
{
    rm_release(&s->gain);
    rm_release(&s->ideals);
    rm_release(&s->values);
    rm_release(&s->own_order);
    rm_release(&s->stops);
    rm_release(&s->together.values);
    rm_release(&s->together.ideals);
    rm_release(&s->together.same_gain);
    rm_release(&s->together.whole_grades);
    rm_release(&s->together.places);
}

static rm_code no_memory(void) { return rm_stop(RM_NO_MEMORY, -1, -1, 0.0); }

/* Room for an order of the entries. A huge user's goes where there is room already. */
static rm_code reserve_order(rm_measure_scratch *s)
{
    rm_buffer *buffer = s->shared && s->user.n > RM_HUGE ? s->shared : &s->own_order;
    s->by_position = 0;
    s->order = rm_reserve(buffer, s->user.n, sizeof *s->order);
    return s->order ? RM_OK : no_memory();
}

static double ideal_of(const rm_user *user, const rm_metric *metric, const int32_t *order)
{
    if (metric->ideal == RM_IDEAL_FULL)
        return rm_full_ideal(user, order, metric->k);
    return rm_ideal(user, order, metric->ideal == RM_IDEAL_UNCUT ? INT64_MAX : metric->k);
}

/* The ideals that are made of all entries, for all metrics while the entries are in the best order. */
static rm_code fill_ideals(const rm_meter *m, rm_measure_scratch *s, int64_t row)
{
    const rm_plan *plan = m->plan;
    double *ideals = rm_reserve(&s->ideals, plan->n_metrics, sizeof *ideals);
    rm_code status = ideals ? RM_OK : no_memory();
    int in_order = rm_descends(s->user.grade, s->user.n);
    int32_t j;
    if (status == RM_OK && !in_order)
        status = reserve_order(s);
    if (status == RM_OK && !in_order)
        rm_sort_by_grade(s->user.grade, s->order, s->user.n);
    for (j = 0; j < m->n_ideals && status == RM_OK; j++) {
        const rm_family *family = &m->families[m->ideals[j]];
        if (family->least <= s->plainness)
            continue;
        status = rm_load(m, s, &plan->metrics[family->first], row);
        if (status != RM_OK)
            break;
        if (family->n == 1)
            ideals[family->first] =
                ideal_of(&s->user, &plan->metrics[family->first], in_order ? NULL : s->order);
        else
            rm_ideal_at(&s->user, in_order ? NULL : s->order,
                        &(rm_cutoffs){m->cutoffs + family->first, family->n, ideals + family->first});
        status = rm_hear(&s->user);
    }
    return status;
}

const rm_view *rm_order_view(rm_measure_scratch *s, rm_view *view)
{
    if (!s->order)
        s->status = reserve_order(s);
    if (s->status != RM_OK)
        return view;
    rm_sort_by_position(view, s->order);
    s->by_position = 1;
    return view;
}

static rm_code prepare(const rm_meter *m, rm_measure_scratch *s, const rm_entries *entries, int64_t n,
                       int64_t candidates, int64_t row)
{
    rm_user *user = &s->user;
    user->n = n;
    user->grade = entries->grade;
    user->candidates = candidates;
    user->gain = NULL;
    s->order = NULL;
    s->by_position = 0;
    s->gain_index = -1;
    rm_make_views(user, entries, m->used);
    if (!m->any_graded)
        return RM_OK;
    if (n <= RM_HUGE) {
        user->gain = rm_reserve(&s->gain, n, sizeof *user->gain);
        if (!user->gain)
            return no_memory();
    }
    return m->n_ideals > 0 ? fill_ideals(m, s, row) : RM_OK;
}

/* NDCG or IDCG with the ideal of what was retrieved. */
static double retrieved_value(const rm_metric *metric, rm_measure_scratch *s, const rm_view *view,
                              int64_t row)
{
    double value = NAN;
    if (!s->order)
        s->status = reserve_order(s);
    if (s->status == RM_OK)
        s->status =
            rm_retrieved_ideal(&s->user, view, s->order, metric->k, metric->kind == RM_NDCG, row, &value);
    s->by_position = 0;
    return value;
}

static double graded_value(const rm_meter *m, int32_t i, rm_measure_scratch *s, const rm_view *view,
                           int64_t row)
{
    const rm_metric *metric = &m->plan->metrics[i];
    const rm_user *user = &s->user;
    double ideal, value;
    s->status = rm_load(m, s, metric, row);
    if (s->status != RM_OK)
        return NAN;
    if (rm_has_ideal(metric))
        value = ideal = ((const double *)s->ideals.data)[i];
    else
        value = ideal = rm_cumulated(user, view, metric->k, metric->kind == RM_DCG);
    if (metric->kind == RM_NDCG && ideal == 0.0)
        value = NAN;
    else if (metric->ideal == RM_IDEAL_RETRIEVED && rm_has_ideal(metric))
        value = retrieved_value(metric, s, view, row);
    else if (metric->kind == RM_NDCG)
        value = rm_ndcg(rm_cumulated(user, view, metric->k, 1), ideal);
    if (s->status == RM_OK && (isinf(ideal) || isinf(value)))
        s->status = rm_stop(RM_SUM_OVERFLOW, row, -1, ideal);
    return value;
}

static double r_precision(const rm_metric *metric, const rm_view *view, double relevant)
{
    int64_t places = rm_part_of(metric->parameter, relevant);
    return rm_share(rm_hits(view, places, metric->min_grade), (double)places);
}

static double binary_value(const rm_metric *metric, rm_measure_scratch *s, const rm_view *view, int64_t row)
{
    const rm_user *user = &s->user;
    const rm_view *thresholds = &user->views[RM_TIES_AVERAGE];
    double least = metric->min_grade, relevant, value = NAN;
    switch (metric->kind) {
    case RM_PRECISION:
        return rm_share_of(metric, user->candidates, 0.0, rm_hits(view, metric->k, least));
    case RM_RBP:
        return rm_biased_precision(view, metric->k, least, metric->parameter);
    case RM_ERR:
        s->status = rm_expected_reciprocal_rank(view, metric->k, metric->parameter, &s->stops, row, &value);
        return value;
    case RM_HIT:
        return rm_hit(view, metric->k, least);
    case RM_MRR:
        return rm_reciprocal_rank(view, metric->k, least);
    case RM_AUC:
        return rm_auc(thresholds, user->candidates, least);
    default:
        break;
    }
    relevant = rm_relevant(user, least);
    if (relevant == 0.0)
        return NAN;
    switch (metric->kind) {
    case RM_R_PRECISION:
        return r_precision(metric, view, relevant);
    case RM_IPREC:
        s->status = rm_interpolated_precision(metric, view, relevant, row, &value);
        return value;
    case RM_PR_AUC:
        return rm_pr_auc(thresholds, relevant, least);
    case RM_MAX_F1:
        return rm_max_f1(thresholds, relevant, least);
    case RM_AP:
        if (metric->denominator == RM_BY_HITS)
            return rm_mean_precision(view, metric->k, least);
        return rm_share_of(metric, user->candidates, relevant, rm_precision_sum(view, metric->k, least));
    default:
        return rm_share_of(metric, user->candidates, relevant, rm_hits(view, metric->k, least));
    }
}

static double value_of(const rm_meter *m, int32_t i, rm_measure_scratch *s, int64_t row)
{
    const rm_metric *metric = &m->plan->metrics[i];
    const rm_view *view = rm_view_of(metric, s);
    if (s->status != RM_OK || (metric->needs_relevant && rm_relevant(&s->user, metric->min_grade) == 0.0))
        return NAN;
    return metric->kind <= RM_NDCG ? graded_value(m, i, s, view, row) : binary_value(metric, s, view, row);
}

/* A family of one metric. */
static void measure_single(const rm_meter *m, int32_t i, rm_measure_scratch *s, int64_t row)
{
    double value = value_of(m, i, s, row);
    if (s->status == RM_OK)
        rm_keep_value(m, i, row, value);
}

rm_code rm_measure_user(const rm_meter *m, rm_measure_scratch *s, int64_t row, const rm_entries *entries,
                        int64_t n, int64_t candidates, rm_plainness plainness)
{
    int32_t i;
    s->plainness = plainness;
    s->status = prepare(m, s, entries, n, candidates, row);
    for (i = 0; i < m->n_families && s->status == RM_OK; i++) {
        const rm_family *family = &m->families[i];
        if (family->least <= plainness)
            continue;
        if (family->n == 1)
            measure_single(m, family->first, s, row);
        else
            rm_measure_family(m, family, s, row);
        if (s->status == RM_OK)
            s->status = rm_hear(&s->user);
    }
    return s->status;
}
