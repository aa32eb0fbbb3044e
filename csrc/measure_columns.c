/* Plain users side by side (columns.h): one metric of many users at a time. */
#include <math.h>

#include "measure_plain.h"

#define MOST_ENTRIES (RM_LENGTHS - 2) /* of a user: up to here users are in order of their number */
#define MOST_CUTOFFS 8                /* of a family: more share a walk */

int rm_suits_columns(const rm_meter *m, const rm_family *family)
{
    const rm_metric *metric = &m->plan->metrics[family->first];
    if (family->n > MOST_CUTOFFS || family->least == RM_NONE_SUCH || metric->min_grade != 0.0)
        return 0;
    if (metric->kind > RM_NDCG)
        return 1;
    /* Then there are discounts for all candidates, or up to k. */
    return (metric->kind == RM_DCG || metric->kind == RM_NDCG) &&
           m->discounts[metric->discount].n < RM_MOST_DISCOUNTS;
}

/* ---- users ---- */

/* A column as long as the longest that may be in one vector with it: that of one of the users from `first` to
 * `last`. */
static void fill_column(rm_together *t, int32_t u, int64_t n, const int32_t *places, int32_t first,
                        int32_t last)
{
    int64_t most = t->views[t->views[first].n > t->views[last].n ? first : last].n, i;
    int32_t *place = (int32_t *)t->places.data + u;
    for (i = 0; i < n; i++)
        place[i * RM_COLUMN_WIDTH] = places[i];
    for (; i < most; i++)
        place[i * RM_COLUMN_WIDTH] = RM_UNRANKED;
}

/* Users begin .. end; and behind them some of whom nothing is read but that they have no places. */
static void fill_users(rm_together *t, int32_t begin, int32_t end)
{
    int32_t u;
    for (u = begin; u < end; u++) {
        const rm_view *view = &t->views[u];
        fill_column(t, u, view->n, view->place, u - begin < RM_COLUMN_PAD ? begin : u - RM_COLUMN_PAD,
                    end - u < RM_COLUMN_PAD ? end - 1 : u + RM_COLUMN_PAD - 1);
        t->n_entries[u] = (int32_t)view->n;
        t->relevant[u] = (double)view->n;
        t->n_candidates[u] = (double)t->candidates[u];
        t->any_empty |= view->n == 0;
    }
    for (; end > begin && u < end + RM_COLUMN_PAD; u++)
        fill_column(t, u, 0, NULL, end - begin < RM_COLUMN_PAD ? begin : end - RM_COLUMN_PAD, end - 1);
}

int rm_fill_columns(rm_together *t)
{
    int64_t longest = 0;
    t->in_columns = t->most_candidates < RM_UNRANKED && !t->any_beyond;
    t->any_empty = 0;
    if (t->n_graded > 0)
        longest = t->views[t->n_graded - 1].n;
    if (t->first_other < RM_TOGETHER && t->views[t->first_other].n > longest)
        longest = t->views[t->first_other].n;
    t->in_columns &= longest <= MOST_ENTRIES;
    if (!t->in_columns)
        return 1;
    if (!rm_reserve(&t->places, longest * RM_COLUMN_WIDTH, sizeof(int32_t)))
        return 0;
    fill_users(t, 0, t->n_graded);
    fill_users(t, t->first_other, RM_TOGETHER);
    return 1;
}

/* ---- values ---- */

/* What a metric is made of, but for the graded ones. */
static rm_column_kernel kernel_of(const rm_column_kernels *kernels, int32_t kind)
{
    switch (kind) {
    case RM_HIT:
        return kernels->hit;
    case RM_MRR:
        return kernels->reciprocal_rank;
    case RM_AP:
    case RM_PR_AUC: /* without ties the same sum */
        return kernels->precision_sum;
    case RM_AUC:
        return kernels->auc;
    case RM_MAX_F1:
        return kernels->max_f1;
    default:
        return kernels->hits;
    }
}

static void find_values(const rm_meter *m, const rm_metric *metric, const rm_columns *c, rm_together *t)
{
    const rm_column_kernels *kernels = &m->kernels->columns;
    const rm_discounts *discounts = &m->discounts[metric->discount];
    double k = metric->k < RM_UNRANKED ? (double)metric->k : RM_UNRANKED;
    if (metric->kind <= RM_NDCG)
        kernels->discounted(c, k, t->gains, discounts->table, discounts->n, t->found);
    else
        kernel_of(kernels, metric->kind)(c, k, t->found);
}

static int settle_ndcg(const rm_meter *m, const rm_metric *metric, const rm_columns *c, rm_together *t)
{
    int done = rm_alike_ideals(m, metric, t, c->begin, c->end, t->whole);
    if (done)
        m->kernels->columns.ndcg(t->found, t->whole, c->end - c->begin);
    return done;
}

/* Mostly all users have the same whole, or that of their relevant items. */
static const double *fill_whole(const rm_metric *metric, const rm_columns *c, rm_together *t)
{
    int is_relevant = metric->kind == RM_PR_AUC || ((metric->kind == RM_RECALL || metric->kind == RM_AP) &&
                                                    metric->denominator == RM_BY_RELEVANT);
    int32_t u;
    if (is_relevant)
        return t->relevant + c->begin;
    for (u = c->begin; u < c->end; u++)
        t->whole[u - c->begin] = rm_whole_of(metric, t->candidates[u], t->relevant[u]);
    return t->whole;
}

static void settle_shares(const rm_meter *m, const rm_metric *metric, const rm_columns *c, rm_together *t)
{
    m->kernels->columns.shares(t->found, fill_whole(metric, c, t), c->end - c->begin, rm_times_found(metric),
                               rm_share_of_none(metric));
}

static void keep_values(const rm_meter *m, int32_t metric, const rm_columns *c, const rm_together *t)
{
    double *values = rm_values_of(m, metric);
    const int64_t *rows = t->rows + c->begin;
    int32_t u, n = c->end - c->begin;
    for (u = 0; u < n; u++)
        values[rows[u]] = t->found[u];
    rm_count_undefined(m, metric, m->kernels->columns.count_nan(t->found, n));
}

int rm_measure_columns(const rm_meter *m, const rm_family *family, rm_together *t, int32_t begin, int32_t end)
{
    rm_columns c = {begin, end, t->places.data, t->n_entries, t->relevant, t->n_candidates};
    int32_t i, u;
    if (m->plan->metrics[family->first].kind <= RM_NDCG)
        rm_alike_gains(m, &m->plan->metrics[family->first], t, begin, end, t->gains);
    for (i = family->first; i < family->first + family->n; i++) {
        const rm_metric *metric = &m->plan->metrics[i];
        find_values(m, metric, &c, t);
        if (metric->kind == RM_NDCG && !settle_ndcg(m, metric, &c, t))
            return 0;
        if (rm_is_share(metric) || metric->kind == RM_PR_AUC)
            settle_shares(m, metric, &c, t);
        for (u = begin; u < end && t->any_empty && rm_needs_relevant(metric); u++)
            if (c.n[u] == 0)
                t->found[u - begin] = NAN;
        keep_values(m, i, &c, t);
    }
    return 1;
}
