/* Users without ties, many of them together: metric after metric, and user after user within. Most users are
 * such, and with few relevant items what a metric asks beside its walk costs more than the walk. */
#include <math.h>

#include "measure_plain.h"

#define VALUES 4096 /* found before any is put in its place */

rm_plainness rm_plainness_for(const rm_metric *metric)
{
    if (metric->kind <= RM_NDCG)
        return rm_has_ideal(metric) && metric->ideal > RM_IDEAL_UNCUT ? RM_NONE_SUCH : RM_GRADED;
    if (metric->kind == RM_AP)
        return metric->denominator == RM_BY_HITS ? RM_NONE_SUCH : RM_UNTIED;
    return metric->kind <= RM_MAX_F1 && metric->kind != RM_R_PRECISION ? RM_UNTIED : RM_NONE_SUCH;
}

/* ---- users ---- */

static int is_untied(const rm_entries *entries, int64_t n)
{
    int32_t tied = 0;
    int64_t i;
    for (i = 0; i < n; i++) /* an entry that is no candidate ties with none, not even itself */
        tied |= entries->tied[i] ^ 1;
    return !tied;
}

/* Those whose gains can be found together come first, the others last. */
static void gather(const rm_meter *m, rm_together *t, const rm_entries *rows, int64_t i, int64_t first_row)
{
    uint8_t *whole = (uint8_t *)t->whole_grades.data + (rows->offsets[i] - rows->offsets[0]);
    rm_entries entries = rm_slice(rows, rows->offsets[i]);
    int64_t n = rows->offsets[i + 1] - rows->offsets[i];
    rm_plainness plainness = RM_TIED;
    int is_alike = 0;
    int32_t at;
    if (n <= RM_HUGE && is_untied(&entries, n))
        plainness = rm_has_plain_gains(m, t, entries.grade, n, whole, &is_alike) ? RM_GRADED : RM_UNTIED;
    t->plainness[i] = plainness;
    t->any_odd |= plainness < m->plainest;
    if (plainness == RM_TIED)
        return;
    at = plainness == RM_GRADED ? t->n_graded++ : --t->first_other;
    t->views[at] = (rm_view){.n = n, .place = entries.ahead, .tied = entries.tied, .grade = entries.grade};
    t->grades[at] = is_alike ? NULL : whole;
    t->all_alike &= is_alike || plainness != RM_GRADED;
    t->candidates[at] = rows->candidates[i];
    t->any_beyond |= n > 0 && entries.ahead[n - 1] >= rows->candidates[i];
    if (rows->candidates[i] > t->most_candidates)
        t->most_candidates = rows->candidates[i];
    t->rows[at] = first_row + i;
}

/* ---- values ---- */

static void found_values(const rm_metric *metric, const rm_group *g)
{
    switch (metric->kind) {
    case RM_HIT:
        rm_hit_each(g->views, g->n, g->cutoffs, metric->min_grade);
        break;
    case RM_MRR:
        rm_reciprocal_rank_each(g->views, g->n, g->cutoffs, metric->min_grade);
        break;
    case RM_AP:
        rm_precision_sum_each(g->views, g->n, g->cutoffs, metric->min_grade);
        break;
    case RM_AUC:
        rm_auc_each(g->views, g->candidates, g->n, g->cutoffs.values, metric->min_grade);
        break;
    case RM_PR_AUC:
        rm_pr_auc_each(g->views, g->n, g->cutoffs.values, metric->min_grade);
        break;
    case RM_MAX_F1:
        rm_max_f1_each(g->views, g->n, g->cutoffs.values, metric->min_grade);
        break;
    default:
        rm_hits_each(g->views, g->n, g->cutoffs, metric->min_grade);
    }
}

/* What was found by the metrics of a family becomes a share, or none. */
static void settle_values(const rm_metric *metrics, const rm_group *g)
{
    int shares = rm_is_share(metrics), needs_relevant = rm_needs_relevant(metrics);
    double *value = g->cutoffs.values;
    int32_t u, j, n = g->cutoffs.n;
    for (u = 0; u < g->n && (shares || needs_relevant); u++) {
        double relevant = rm_relevant_of(&g->views[u], metrics->min_grade);
        int is_undefined = needs_relevant && relevant == 0.0;
        for (j = 0; j < n && is_undefined; j++)
            value[j] = NAN;
        for (j = 0; j < n && shares && !is_undefined; j++)
            value[j] = rm_share_of(&metrics[j], g->candidates[u], relevant, value[j]);
        value += n;
    }
}

static void keep_values(const rm_meter *m, const rm_family *family, const rm_group *g)
{
    int32_t u, j;
    for (j = 0; j < family->n; j++) {
        double *values = rm_values_of(m, family->first + j);
        const double *value = g->cutoffs.values + j;
        int64_t undefined = 0;
        for (u = 0; u < g->n; u++, value += family->n) {
            values[g->rows[u]] = *value;
            undefined += *value != *value;
        }
        rm_count_undefined(m, family->first + j, undefined);
    }
}

static int measure_group(const rm_meter *m, const rm_family *family, rm_together *t, int32_t begin, int32_t n)
{
    double *values = rm_reserve(&t->values, (int64_t)(n + 1) * family->n, sizeof *values);
    rm_group g = {t,
                  begin,
                  n,
                  t->views + begin,
                  t->candidates + begin,
                  t->rows + begin,
                  {m->cutoffs + family->first, family->n, values}};
    if (!values)
        return 0;
    if (m->plan->metrics[family->first].kind > RM_NDCG)
        found_values(&m->plan->metrics[family->first], &g);
    else if (!rm_graded_values(m, family, &g, values + (int64_t)n * family->n))
        return 0;
    settle_values(&m->plan->metrics[family->first], &g);
    keep_values(m, family, &g);
    return 1;
}

/* Users begin .. end, as many at a time as have their values in the cache. */
static int measure_family(const rm_meter *m, const rm_family *family, rm_together *t, int32_t begin,
                          int32_t end)
{
    int is_graded = m->plan->metrics[family->first].kind <= RM_NDCG;
    int32_t most = family->n < VALUES ? VALUES / family->n : 1, done = 1;
    if (family->by_columns && t->in_columns && (t->all_alike || !is_graded))
        return rm_measure_columns(m, family, t, begin, end);
    for (; begin < end && done; begin += most)
        done = measure_group(m, family, t, begin, end - begin < most ? end - begin : most);
    return done;
}

/* ---- rows ---- */

static int measure_together(const rm_meter *m, rm_together *t)
{
    int32_t i;
    int done = rm_open_ideals(m, t) && rm_fill_columns(t);
    for (i = 0; i < m->n_families && done; i++) {
        const rm_family *family = &m->families[i];
        if (family->least <= RM_GRADED)
            done = measure_family(m, family, t, 0, t->n_graded);
        if (family->least <= RM_UNTIED && done)
            done = measure_family(m, family, t, t->first_other, RM_TOGETHER);
    }
    return done;
}

/* Those whom some family has to be measured for one by one. */
static rm_code measure_odd(const rm_meter *m, rm_measure_scratch *s, int64_t first_row,
                           const rm_entries *rows, int64_t n)
{
    int64_t i;
    for (i = 0; i < n; i++) {
        rm_plainness plainness = s->together.plainness[i];
        rm_entries entries = rm_slice(rows, rows->offsets[i]);
        rm_code status;
        if (plainness >= m->plainest)
            continue;
        status = rm_measure_user(m, s, first_row + i, &entries, rows->offsets[i + 1] - rows->offsets[i],
                                 rows->candidates[i], plainness);
        if (status != RM_OK)
            return status;
    }
    return RM_OK;
}

rm_code rm_measure_rows(const rm_meter *m, rm_measure_scratch *s, int64_t first_row, const rm_entries *rows,
                        int64_t n)
{
    rm_together *t = &s->together;
    rm_code status = RM_OK;
    uint8_t order[RM_TOGETHER];
    int64_t i;
    t->n_graded = 0;
    t->first_other = RM_TOGETHER;
    t->any_odd = 0;
    t->all_alike = 1;
    t->most_candidates = 0;
    t->any_beyond = 0;
    if (!rm_reserve(&t->whole_grades, rows->offsets[n] - rows->offsets[0], 1))
        return rm_stop(RM_NO_MEMORY, -1, -1, 0.0);
    rm_order_by_length(rows->offsets, n, order);
    for (i = 0; i < n; i++)
        gather(m, t, rows, order[i], first_row);
    if (t->any_odd)
        status = measure_odd(m, s, first_row, rows, n);
    if (status == RM_OK && !measure_together(m, t))
        status = rm_stop(RM_NO_MEMORY, -1, -1, 0.0);
    return status;
}
