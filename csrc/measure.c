/* Ranks -> values: every metric of a call for one user while its ranks are hot. */
#include <math.h>
#include <stdlib.h>

#include "measure.h"

#define MOST_DISCOUNTS 65536 /* further places compute theirs */

typedef struct {
    const rm_entries *ranks;
    const rm_plan *plan;
    int64_t n_users;
    double *values;
    int64_t *undefined;
    double *discounts;
    int64_t n_discounts;
    int used[RM_N_TIES];
} meter;

typedef struct {
    rm_user user;
    rm_status status;
    int64_t room; /* entries that the buffers hold */
    rm_buffer blocks[RM_N_TIES], grades[RM_N_TIES], gain, ideal, work;
    int gain_ties, gain_index, ideal_index; /* what the buffers hold; -1: nothing */
} measure_scratch;

static void release_scratch(void *scratch)
{
    measure_scratch *s = scratch;
    int t;
    for (t = 0; t < RM_N_TIES; t++) {
        rm_release(&s->blocks[t]);
        rm_release(&s->grades[t]);
    }
    rm_release(&s->gain);
    rm_release(&s->ideal);
    rm_release(&s->work);
}

/* ---- one user ---- */

static int reserve(const meter *m, measure_scratch *s, int64_t n)
{
    rm_user *user = &s->user;
    int t, ok = 1;
    if (n <= s->room)
        return 1;
    for (t = 0; t < RM_N_TIES; t++) {
        if (t != RM_TIES_AVERAGE && !m->used[t])
            continue;
        user->views[t].blocks = rm_reserve(&s->blocks[t], n, sizeof(rm_block));
        user->views[t].own_grade = rm_reserve(&s->grades[t], n, sizeof(double));
        ok = ok && user->views[t].blocks && user->views[t].own_grade;
    }
    user->gain = rm_reserve(&s->gain, n, sizeof(double));
    user->ideal = rm_reserve(&s->ideal, n, sizeof(double));
    user->work = rm_reserve(&s->work, 2 * n, sizeof(double));
    s->room = n;
    return ok && user->gain && user->ideal && user->work;
}

static int prepare(const meter *m, measure_scratch *s, int64_t row)
{
    rm_user *user = &s->user;
    int64_t base = m->ranks->offsets[row];
    rm_entries entries = {NULL, m->ranks->ahead + base, m->ranks->tied + base, NULL, m->ranks->grade + base, NULL};
    if (m->ranks->position)
        entries.position = m->ranks->position + base;
    user->n = m->ranks->offsets[row + 1] - base;
    user->grade = entries.grade;
    user->candidates = m->ranks->candidates[row];
    user->discounts = m->discounts;
    user->n_discounts = m->n_discounts;
    s->gain_ties = s->gain_index = s->ideal_index = -1;
    if (!reserve(m, s, user->n))
        return 0;
    rm_build_views(user, &entries, m->used);
    return 1;
}

/* Brings the gains that this metric reads into the user's buffers. */
static void load_gains(const meter *m, const rm_metric *metric, measure_scratch *s, int64_t row)
{
    rm_user *user = &s->user;
    const rm_gain *gain = &m->plan->gains[metric->gain];
    if (s->gain_ties != metric->ties || s->gain_index != metric->gain) {
        const rm_view *view = &user->views[metric->ties];
        s->status = rm_gains_of(gain, view->grade, user->n_ranked, row, user->gain);
        s->gain_ties = metric->ties;
        s->gain_index = metric->gain;
    }
    if (s->status.code == RM_OK && s->ideal_index != metric->gain) {
        memcpy(user->work, user->grade, (size_t)user->n * sizeof *user->work);
        rm_sort_descending(user->work, user->n);
        s->status = rm_gains_of(gain, user->work, user->n, row, user->ideal);
        s->ideal_index = metric->gain;
    }
}

static double ndcg(const rm_user *user, const rm_view *view, int64_t k, double ideal)
{
    double value = rm_cumulated(user, view, k, 1) / ideal;
    return value < 1.0 ? value : 1.0; /* more is rounding */
}

static double graded_value(const meter *m, const rm_metric *metric, measure_scratch *s, int64_t row)
{
    const rm_user *user = &s->user;
    const rm_view *view = &user->views[metric->ties];
    double ideal, value;
    load_gains(m, metric, s, row);
    if (s->status.code != RM_OK)
        return NAN;
    if (metric->kind == RM_CG || metric->kind == RM_DCG) {
        value = ideal = rm_cumulated(user, view, metric->k, metric->kind == RM_DCG);
    } else {
        value = ideal = rm_ideal(user, metric->k);
        if (metric->kind == RM_NDCG && ideal == 0.0)
            value = NAN;
        else if (metric->ideal_retrieved)
            s->status = rm_retrieved_ideal(user, view, metric->k, metric->kind == RM_NDCG, row, &value);
        else if (metric->kind == RM_NDCG)
            value = ndcg(user, view, metric->k, ideal);
    }
    if (isinf(ideal))
        s->status = rm_fail(RM_SUM_OVERFLOW, row, -1, ideal);
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

static double binary_value(const rm_metric *metric, const rm_user *user)
{
    const rm_view *view = &user->views[metric->ties], *thresholds = &user->views[RM_TIES_AVERAGE];
    double least = metric->min_grade, relevant = rm_relevant(user, least);
    double findable = recall_places(metric, user, relevant);
    double places = precision_places(metric, user);
    switch (metric->kind) {
    case RM_PRECISION:
        return places > 0.0 ? rm_hits(view, metric->k, least) / places : NAN;
    case RM_HIT:
        return rm_hit(view, metric->k, least);
    case RM_MRR:
        return rm_reciprocal_rank(view, metric->k, least);
    case RM_AUC:
        return rm_auc(user, thresholds, least);
    default:
        break;
    }
    if (relevant == 0.0)
        return NAN;
    switch (metric->kind) {
    case RM_RECALL:
        return share(rm_hits(view, metric->k, least), findable);
    case RM_F1:
        return share(2.0 * rm_hits(view, metric->k, least), places + findable);
    case RM_AP:
        return share(rm_precision_sum(view, metric->k, least), findable);
    case RM_R_PRECISION:
        return rm_hits(view, (int64_t)relevant, least) / relevant;
    case RM_PR_AUC:
        return rm_pr_auc(thresholds, relevant, least);
    default:
        return rm_max_f1(thresholds, relevant, least);
    }
}

static rm_status measure_one(void *context, void *scratch, int64_t row)
{
    const meter *m = context;
    measure_scratch *s = scratch;
    int32_t i;
    if (!prepare(m, s, row))
        return rm_fail(RM_NO_MEMORY, -1, -1, 0.0);
    for (i = 0; i < m->plan->n_metrics; i++) {
        const rm_metric *metric = &m->plan->metrics[i];
        double value = metric->kind <= RM_NDCG ? graded_value(m, metric, s, row) : binary_value(metric, &s->user);
        if (s->status.code != RM_OK)
            return s->status;
        if (isnan(value)) {
#pragma omp atomic
            m->undefined[i]++;
            value = metric->empty;
        }
        m->values[i * m->n_users + row] = value;
    }
    return rm_ok();
}

/* ---- all users ---- */

/* Discounts are read up to the largest cutoff, but no further than the longest list. */
static int64_t places_read(const rm_entries *ranks, int64_t n_users, const rm_plan *plan)
{
    int64_t longest = 0, cutoff = 0, u;
    int32_t i;
    for (i = 0; i < plan->n_metrics; i++)
        if (plan->metrics[i].kind <= RM_NDCG && plan->metrics[i].k > cutoff)
            cutoff = plan->metrics[i].k;
    if (cutoff <= 256)
        return cutoff;
    for (u = 0; u < n_users; u++) {
        int64_t entries = ranks->offsets[u + 1] - ranks->offsets[u];
        int64_t n = ranks->candidates[u] > entries ? ranks->candidates[u] : entries;
        longest = n > longest ? n : longest;
    }
    cutoff = cutoff < longest ? cutoff : longest;
    return cutoff < MOST_DISCOUNTS ? cutoff : MOST_DISCOUNTS;
}

rm_status rm_measure(const rm_entries *ranks, int64_t n_users, const rm_plan *plan, const rm_run *run,
                     double *values, int64_t *undefined)
{
    meter m = {.ranks = ranks, .plan = plan, .n_users = n_users, .values = values, .undefined = undefined};
    int64_t n = places_read(ranks, n_users, plan), i;
    rm_loop loop = {measure_one, &m, sizeof(measure_scratch), release_scratch, n_users,
                    ranks->offsets[n_users] * plan->n_metrics};
    rm_status status;
    m.discounts = malloc((size_t)(n ? n : 1) * sizeof *m.discounts);
    if (!m.discounts)
        return rm_fail(RM_NO_MEMORY, -1, -1, 0.0);
    for (i = 0; i < n; i++)
        m.discounts[i] = 1.0 / log2((double)i + 2.0);
    m.n_discounts = n;
    for (i = 0; i < plan->n_metrics; i++)
        m.used[plan->metrics[i].ties] = 1;
    memset(undefined, 0, (size_t)plan->n_metrics * sizeof *undefined);
    status = rm_for_users(&loop, run);
    free(m.discounts);
    return status;
}
