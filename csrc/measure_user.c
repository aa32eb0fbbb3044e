/* One user's ranks -> values: every metric of a call while the ranks are hot. */
#include <math.h>

#include "measure.h"

void rm_release_measure_scratch(rm_measure_scratch *s)
{
    int t;
    for (t = 0; t < RM_N_TIES; t++) {
        rm_release(&s->places[t]);
        rm_release(&s->grades[t]);
    }
    rm_release(&s->gain);
    rm_release(&s->ideals);
    rm_release(&s->work);
}

/* Room to settle ties in, under each rule that is used. */
static int reserve_views(const rm_meter *m, rm_measure_scratch *s, int64_t n)
{
    rm_user *user = &s->user;
    int t, ok = 1;
    if (n < s->room)
        return 1;
    for (t = 0; t < RM_N_TIES; t++) {
        if (t == RM_TIES_AVERAGE || !m->used[t])
            continue;
        user->views[t].own_place = rm_reserve(&s->places[t], n, sizeof(int32_t));
        user->views[t].own_grade = rm_reserve(&s->grades[t], n, sizeof(double));
        ok = ok && user->views[t].own_place && user->views[t].own_grade;
    }
    s->room = ok ? n + 1 : 0;
    return ok;
}

static int prepare(const rm_meter *m, rm_measure_scratch *s, const rm_entries *entries, int64_t n,
                   int64_t candidates)
{
    rm_user *user = &s->user;
    user->n = n;
    user->grade = entries->grade;
    user->candidates = candidates;
    user->discounts = m->discounts;
    user->n_discounts = m->n_discounts;
    s->gain_ties = s->gain_index = s->ideal_index = -1;
    if (m->any_graded) /* every time: whoever shares the buffer may have let it grow */
        user->gain = rm_reserve(s->shared ? s->shared : &s->gain, n, sizeof(double));
    if (m->any_graded && !user->gain)
        return 0;
    rm_average_view(user, entries);
    if (user->views[RM_TIES_AVERAGE].tied && !reserve_views(m, s, n))
        return 0;
    rm_settle_views(user, entries, m->used);
    return 1;
}

/* ---- ideals: the gains of all entries in descending order ---- */

/* Often the view's own gains are that. */
static int is_ideal(const rm_user *user, const rm_view *view)
{
    return view->grade == user->grade && view->n == user->n && rm_descends(user->grade, user->n);
}

/* A user of many millions of entries must hear Ctrl-C between two passes over them. */
static rm_code hear(const rm_user *user)
{
    return user->n > RM_STOP_EVERY && rm_stopped() ? rm_stop(RM_INTERRUPTED, -1, -1, 0.0) : RM_OK;
}

/* Otherwise the buffer of gains is lent to all ideals that are made of the same gains. */
static void sort_ideals(const rm_meter *m, int32_t index, rm_measure_scratch *s, int64_t row)
{
    rm_user *user = &s->user;
    double *ideals = rm_reserve(&s->ideals, m->plan->n_metrics, sizeof(double));
    int32_t i;
    if (!ideals) {
        s->status = rm_stop(RM_NO_MEMORY, -1, -1, 0.0);
        return;
    }
    rm_sort_grades(user->grade, user->n, user->gain);
    s->status = hear(user);
    if (s->status != RM_OK)
        return;
    s->status = rm_gains_of(&m->plan->gains[index], m->small_gains + index * RM_SMALL_GRADES, user->gain,
                            user->n, row, user->gain);
    for (i = 0; i < m->plan->n_metrics && s->status == RM_OK; i++)
        if (m->plan->metrics[i].kind <= RM_NDCG && m->plan->metrics[i].gain == index) {
            ideals[i] = rm_ideal(user, m->plan->metrics[i].k);
            s->status = hear(user);
        }
    s->ideal_index = index;
    s->gain_index = -1;
}

/* NDCG or IDCG with the ideal of what was retrieved. */
static double retrieved_value(const rm_metric *metric, rm_measure_scratch *s, int64_t row)
{
    const rm_user *user = &s->user;
    double *work = rm_reserve(&s->work, 4 * user->n, sizeof(double)), value = NAN;
    if (work)
        s->status = rm_retrieved_ideal(user, &user->views[metric->ties], work, metric->k,
                                       metric->kind == RM_NDCG, row, &value);
    else
        s->status = rm_stop(RM_NO_MEMORY, -1, -1, 0.0);
    return value;
}

/* Brings the gains that this metric reads into the user's buffer. */
static void load_gains(const rm_meter *m, const rm_metric *metric, rm_measure_scratch *s, int64_t row)
{
    rm_user *user = &s->user;
    const rm_view *view = &user->views[metric->ties];
    if (s->gain_ties == metric->ties && s->gain_index == metric->gain)
        return;
    s->status = rm_gains_of(&m->plan->gains[metric->gain], m->small_gains + metric->gain * RM_SMALL_GRADES,
                            view->grade, view->n, row, user->gain);
    s->gain_ties = metric->ties;
    s->gain_index = metric->gain;
}

/* Loads the gains, and gives the ideal of metric i. */
static double load(const rm_meter *m, int32_t i, rm_measure_scratch *s, int64_t row)
{
    const rm_metric *metric = &m->plan->metrics[i];
    const rm_user *user = &s->user;
    int in_order = is_ideal(user, &user->views[metric->ties]);
    if (!in_order && s->ideal_index != metric->gain)
        sort_ideals(m, metric->gain, s, row);
    if (s->status == RM_OK)
        load_gains(m, metric, s, row);
    if (s->status != RM_OK)
        return NAN;
    return in_order ? rm_ideal(user, metric->k) : ((const double *)s->ideals.data)[i];
}

static double ndcg(const rm_user *user, const rm_view *view, int64_t k, double ideal)
{
    double dcg = rm_cumulated(user, view, k, 1);
    if (isinf(dcg))
        return dcg;
    return dcg < ideal ? dcg / ideal : 1.0; /* more is rounding */
}

static double graded_value(const rm_meter *m, int32_t i, rm_measure_scratch *s, int64_t row)
{
    const rm_metric *metric = &m->plan->metrics[i];
    const rm_user *user = &s->user;
    const rm_view *view = &user->views[metric->ties];
    double ideal = load(m, i, s, row), value = ideal;
    if (s->status != RM_OK)
        return NAN;
    if (metric->kind == RM_CG || metric->kind == RM_DCG)
        value = ideal = rm_cumulated(user, view, metric->k, metric->kind == RM_DCG);
    else if (metric->kind == RM_NDCG && ideal == 0.0)
        value = NAN;
    else if (metric->ideal_retrieved)
        value = retrieved_value(metric, s, row);
    else if (metric->kind == RM_NDCG)
        value = ndcg(user, view, metric->k, ideal);
    if (s->status == RM_OK && (isinf(ideal) || isinf(value)))
        s->status = rm_stop(RM_SUM_OVERFLOW, row, -1, ideal);
    return value;
}

/* The denominator of precision: k, or the whole list where there is no k or fewer candidates and a cap. */
static double precision_places(const rm_metric *metric, const rm_user *user)
{
    if (metric->k == INT64_MAX || (metric->capped_precision && user->candidates < metric->k))
        return (double)user->candidates;
    return (double)metric->k;
}

/* The denominator of recall and average precision: what is relevant, or no more than there are places. */
static double recall_places(const rm_metric *metric, const rm_user *user, double relevant)
{
    double places = metric->k == INT64_MAX ? (double)user->candidates : (double)metric->k;
    return metric->capped_recall && places < relevant ? places : relevant;
}

/* Nothing can be hit in no places: 0, although 0 / 0. */
static double share(double part, double whole) { return whole > 0.0 ? part / whole : 0.0; }

static double recall_value(const rm_metric *metric, const rm_user *user, const rm_view *view, double relevant)
{
    double least = metric->min_grade, findable = recall_places(metric, user, relevant);
    switch (metric->kind) {
    case RM_RECALL:
        return share(rm_hits(view, metric->k, least), findable);
    case RM_AP:
        return share(rm_precision_sum(view, metric->k, least), findable);
    default:
        return share(2.0 * rm_hits(view, metric->k, least), precision_places(metric, user) + findable);
    }
}

static double precision_value(const rm_metric *metric, const rm_user *user, const rm_view *view)
{
    double places = precision_places(metric, user);
    return places > 0.0 ? rm_hits(view, metric->k, metric->min_grade) / places : NAN;
}

static double binary_value(const rm_metric *metric, const rm_user *user)
{
    const rm_view *view = &user->views[metric->ties], *thresholds = &user->views[RM_TIES_AVERAGE];
    double least = metric->min_grade, relevant;
    switch (metric->kind) {
    case RM_PRECISION:
        return precision_value(metric, user, view);
    case RM_HIT:
        return rm_hit(view, metric->k, least);
    case RM_MRR:
        return rm_reciprocal_rank(view, metric->k, least);
    case RM_AUC:
        return rm_auc(user, thresholds, least);
    default:
        break;
    }
    relevant = rm_relevant(user, least);
    if (relevant == 0.0)
        return NAN;
    switch (metric->kind) {
    case RM_R_PRECISION:
        return rm_hits(view, (int64_t)relevant, least) / relevant;
    case RM_PR_AUC:
        return rm_pr_auc(thresholds, relevant, least);
    case RM_MAX_F1:
        return rm_max_f1(thresholds, relevant, least);
    default:
        return recall_value(metric, user, view, relevant);
    }
}

rm_code rm_measure_user(const rm_meter *m, rm_measure_scratch *s, int64_t row, const rm_entries *entries,
                        int64_t n, int64_t candidates)
{
    int32_t i;
    s->status = RM_OK;
    if (!prepare(m, s, entries, n, candidates))
        return rm_stop(RM_NO_MEMORY, -1, -1, 0.0);
    for (i = 0; i < m->plan->n_metrics; i++) {
        const rm_metric *metric = &m->plan->metrics[i];
        double value = metric->kind <= RM_NDCG ? graded_value(m, i, s, row) : binary_value(metric, &s->user);
        if (s->status == RM_OK)
            s->status = hear(&s->user);
        if (s->status != RM_OK)
            return s->status;
        if (isnan(value)) {
#pragma omp atomic
            m->undefined[i]++;
            value = metric->empty;
        }
        m->values[i * m->n_users + row] = value;
    }
    return RM_OK;
}
