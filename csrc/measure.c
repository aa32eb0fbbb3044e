/* Ranks -> values, for all users. */
#include <math.h>
#include <stdlib.h>

#include "measure.h"

/* Discounts are read up to the largest cutoff, but no further than the longest list. */
static int64_t places_read(const rm_plan *plan, int64_t longest)
{
    int64_t cutoff = 0;
    int32_t i;
    for (i = 0; i < plan->n_metrics; i++)
        if (plan->metrics[i].kind <= RM_NDCG && plan->metrics[i].k > cutoff)
            cutoff = plan->metrics[i].k;
    cutoff = cutoff < longest ? cutoff : longest;
    return cutoff < RM_MOST_DISCOUNTS ? cutoff : RM_MOST_DISCOUNTS;
}

static int fill_discounts(rm_discounts *discounts, rm_discount_kind kind, int64_t n)
{
    int64_t i;
    discounts->table = malloc((size_t)(n + 1) * sizeof *discounts->table);
    if (!discounts->table)
        return 0;
    discounts->kind = kind;
    discounts->n = n;
    for (i = 0; i < n; i++)
        discounts->table[i] = rm_make_discount(kind, i);
    discounts->table[n] = 0.0;
    return 1;
}

static void list_families(rm_meter *m)
{
    int32_t gain, i;
    for (i = 0; i < m->plan->n_metrics; i += m->families[m->n_families++].n) {
        rm_family family = rm_next_family(m->plan, i);
        family.by_columns = rm_suits_columns(m, &family);
        m->families[m->n_families] = family;
        m->plainest = family.least > m->plainest ? family.least : m->plainest;
    }
    for (gain = 0; gain < m->plan->n_gains; gain++) {
        for (i = 0; i < m->n_families; i++) {
            const rm_metric *metric = &m->plan->metrics[m->families[i].first];
            if (metric->gain == gain && rm_has_ideal(metric))
                m->ideals[m->n_ideals++] = i;
        }
    }
}

int rm_open_meter(rm_meter *m, const rm_plan *plan, const rm_run *run, int64_t n_users, int64_t longest,
                  double *values, int64_t *undefined)
{
    rm_metric *metrics;
    int64_t i;
    memset(m, 0, sizeof *m);
    m->ordered = *plan;
    m->plan = &m->ordered;
    m->kernels = run->kernels;
    m->n_users = n_users;
    m->values = values;
    m->undefined = undefined;
    m->discounts = calloc((size_t)(plan->n_discounts + 1), sizeof *m->discounts);
    m->gains = malloc((size_t)(plan->n_gains + 1) * sizeof *m->gains);
    m->families = malloc((size_t)(plan->n_metrics + 1) * sizeof *m->families);
    m->cutoffs = malloc((size_t)(plan->n_metrics + 1) * sizeof *m->cutoffs);
    m->asked = malloc((size_t)(plan->n_metrics + 1) * sizeof *m->asked);
    metrics = malloc((size_t)(plan->n_metrics + 1) * sizeof *metrics);
    m->ordered.metrics = metrics;
    m->ideals = malloc((size_t)(plan->n_metrics + 1) * sizeof *m->ideals);
    if (!m->discounts || !m->gains || !m->families || !m->cutoffs || !m->ideals || !m->asked || !metrics ||
        !rm_order_metrics(plan, metrics, m->asked))
        return 0;
    for (i = 0; i < plan->n_discounts; i++)
        if (!fill_discounts(&m->discounts[i], (rm_discount_kind)plan->discounts[i],
                            places_read(plan, longest)))
            return 0;
    for (i = 0; i < plan->n_gains; i++)
        rm_fill_small_gains(&m->gains[i], &plan->gains[i]);
    for (i = 0; i < plan->n_metrics; i++) {
        m->used[plan->metrics[i].ties] = 1;
        m->any_graded |= plan->metrics[i].kind <= RM_NDCG;
        m->cutoffs[i] = metrics[i].k;
        undefined[i] = 0;
    }
    list_families(m);
    return 1;
}

void rm_close_meter(rm_meter *m)
{
    int32_t i;
    for (i = 0; m->discounts && i < m->plan->n_discounts; i++)
        free(m->discounts[i].table);
    free(m->discounts);
    free(m->gains);
    free(m->families);
    free(m->cutoffs);
    free(m->ideals);
    free(m->asked);
    free((rm_metric *)m->ordered.metrics);
}

typedef struct {
    rm_meter meter;
    const rm_entries *ranks;
} measure_context;

typedef struct {
    rm_measure_scratch measure;
    int64_t first, n; /* rows that wait to be measured together */
} measure_scratch;

static void release_scratch(void *scratch)
{
    rm_release_measure_scratch(&((measure_scratch *)scratch)->measure);
}

/* Ranks are the caller's arrays: a place that is none would be read beyond some table. A tie takes as many
 * places as it has entries, or more. */
static int in_order(const rm_entries *entries, int64_t n)
{
    int32_t before = -1, entry = 0;
    int64_t i;
    for (i = 0; i < n; i++) {
        int32_t ahead = entries->ahead[i], tied = entries->tied[i];
        if (ahead < before || ahead < 0 || tied < 0 || (entries->position && entries->position[i] < 0))
            return 0;
        entry = ahead == before ? entry + 1 : 1;
        if (tied < entry && ahead != RM_UNRANKED)
            return 0;
        before = ahead;
    }
    return 1;
}

static rm_code measure_waiting(void *context, void *scratch)
{
    const measure_context *c = context;
    measure_scratch *s = scratch;
    rm_entries rows = *c->ranks;
    int64_t n = s->n;
    rows.offsets += s->first;
    rows.candidates += s->first;
    s->n = 0;
    return rm_measure_rows(&c->meter, &s->measure, s->first, &rows, n);
}

static rm_code measure_one(void *context, void *scratch, int64_t row)
{
    const measure_context *c = context;
    measure_scratch *s = scratch;
    int64_t base = c->ranks->offsets[row];
    rm_entries entries = rm_slice(c->ranks, base);
    if (!in_order(&entries, c->ranks->offsets[row + 1] - base) || c->ranks->candidates[row] < 0)
        return rm_stop(RM_BAD_RANKS, row, -1, 0.0);
    if (s->n == 0)
        s->first = row;
    return ++s->n < RM_TOGETHER ? RM_OK : measure_waiting(context, scratch);
}

/* No ideal or list is longer. */
static int64_t longest_list(const rm_entries *ranks, int64_t n_users)
{
    int64_t longest = 0, u;
    for (u = 0; u < n_users; u++) {
        int64_t entries = ranks->offsets[u + 1] - ranks->offsets[u];
        int64_t n = ranks->candidates[u] > entries ? ranks->candidates[u] : entries;
        longest = n > longest ? n : longest;
    }
    return longest;
}

rm_status rm_measure(const rm_entries *ranks, int64_t n_users, const rm_plan *plan, const rm_run *run,
                     double *values, int64_t *undefined)
{
    measure_context c = {.ranks = ranks};
    rm_loop loop = {.body = measure_one,
                    .context = &c,
                    .scratch_size = sizeof(measure_scratch),
                    .release = release_scratch,
                    .n_users = n_users,
                    .work = ranks->offsets[n_users] * plan->n_metrics,
                    .finish = measure_waiting};
    rm_status status = rm_fail(RM_NO_MEMORY, -1, -1, 0.0);
    if (rm_open_meter(&c.meter, plan, run, n_users, longest_list(ranks, n_users), values, undefined))
        status = rm_for_users(&loop, run);
    rm_close_meter(&c.meter);
    return status;
}
