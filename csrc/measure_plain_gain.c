/* Graded metrics of users without ties. */
#include <math.h>

#include "measure_plain.h"

#define GREATEST_GAIN 1e290 /* no sum of gains up to it is infinite */
#define IDEALS 64           /* lengths whose ideals are kept */

/* Of users with so many entries of the same gain. */
typedef struct {
    double gain, ideal;
} known_ideal;

static int are_safe(const rm_meter *m, double grade)
{
    int32_t i;
    for (i = 0; i < m->plan->n_gains; i++)
        if (!(rm_make_gain(&m->gains[i], grade) <= GREATEST_GAIN))
            return 0;
    return 1;
}

int rm_has_plain_gains(const rm_meter *m, const double *grade, int64_t n, int *is_alike)
{
    uint32_t found = 0;
    int64_t i = 0;
    int whole;
    if (!m->any_graded)
        return 1;
    while (i < n && grade[i] == grade[0])
        i++;
    *is_alike = i == n;
    if (*is_alike)
        return n == 0 || are_safe(m, grade[0]);
    for (i = 0; i < n; i++) {
        whole = rm_small_grade(grade[i]);
        if (whole < 0)
            return 0;
        found |= (uint32_t)1 << whole;
    }
    for (whole = 0; whole < RM_SMALL_GRADES; whole++)
        if (found >> whole & 1 && !are_safe(m, whole))
            return 0;
    return 1;
}

int rm_open_ideals(const rm_meter *m, rm_together *t)
{
    int64_t n = (int64_t)m->plan->n_metrics * IDEALS;
    if (t->ideals.data)
        return 1;
    if (!rm_reserve(&t->ideals, n, sizeof(known_ideal)))
        return 0;
    memset(t->ideals.data, 0, (size_t)n * sizeof(known_ideal)); /* of no gain the ideal is 0, too */
    return 1;
}

/* ---- gains of the entries ---- */

/* Grades are small and whole; NULL when memory is short. */
static double *load_gains(const rm_gains *gains, const rm_view *view, rm_buffer *buffer)
{
    double *gain = rm_reserve(buffer, view->n, sizeof *gain);
    int64_t i;
    for (i = 0; gain && i < view->n; i++)
        gain[i] = gains->small[(int)view->grade[i]];
    return gain;
}

/* 0 when memory is short. */
static int repeat_gain(rm_together *t, double gain, int64_t n)
{
    double *gains;
    if (gain == t->repeated && n <= t->n_repeated)
        return 1;
    t->n_repeated = 0;
    gains = rm_reserve(&t->same_gain, n, sizeof *gains);
    if (!gains)
        return 0;
    for (t->repeated = gain; t->n_repeated < n; t->n_repeated++)
        gains[t->n_repeated] = gain;
    return 1;
}

/* ---- values ---- */

/* Users of the same gain and number of relevant items share their ideals. */
static double ideal_of(known_ideal *known, const rm_user *user, int64_t k)
{
    int64_t n = user->n < k ? user->n : k;
    if (n >= IDEALS)
        return rm_ideal(user, NULL, k);
    if (n > 0 && known[n].gain != user->gain[0]) {
        known[n].ideal = rm_ideal(user, NULL, k);
        known[n].gain = user->gain[0];
    }
    return known[n].ideal;
}

static void divide(const rm_metric *metric, const double *ideals, int32_t n, double *values)
{
    int32_t j;
    for (j = 0; j < n; j++) {
        if (metric->kind == RM_IDCG)
            values[j] = ideals[j];
        else
            values[j] = ideals[j] == 0.0 ? NAN : rm_ndcg(values[j], ideals[j]);
    }
}

/* Users of the same gain. */
static void alike_values(const rm_metric *metric, known_ideal *known, rm_user *user, const rm_view *views,
                         int32_t n, rm_cutoffs cutoffs, double *ideals)
{
    int32_t u, j;
    if (metric->kind != RM_IDCG)
        rm_cumulated_each(user, views, n, cutoffs, metric->kind != RM_CG);
    for (u = 0; u < n && rm_has_ideal(metric); u++) {
        user->n = views[u].n;
        for (j = 0; j < cutoffs.n; j++)
            ideals[j] = ideal_of(known, user, metric->ideal == RM_IDEAL_UNCUT ? INT64_MAX : cutoffs.k[j]);
        divide(metric, ideals, cutoffs.n, cutoffs.values + u * cutoffs.n);
    }
}

static void user_values(const rm_metric *metric, rm_user *user, const rm_view *view, rm_cutoffs cutoffs,
                        double *ideals)
{
    const int64_t all = INT64_MAX;
    if (metric->kind != RM_IDCG)
        rm_cumulated_each(user, view, 1, cutoffs, metric->kind != RM_CG);
    if (!rm_has_ideal(metric))
        return;
    user->n = view->n;
    rm_ideal_of_whole(user, view->grade,
                      &(rm_cutoffs){metric->ideal == RM_IDEAL_UNCUT ? &all : cutoffs.k, cutoffs.n, ideals});
    divide(metric, ideals, cutoffs.n, cutoffs.values);
}

/* The users from `u` on of whom all entries have one grade: where they end; *longest is the most entries. */
static int32_t alike_run(const rm_group *g, int32_t u, double *grade, int64_t *longest)
{
    *longest = 0;
    *grade = 0.0;
    for (; u < g->n && g->t->is_alike[g->begin + u]; u++) {
        const rm_view *view = &g->views[u];
        if (view->n > 0 && *longest > 0 && view->grade[0] != *grade)
            break;
        *grade = view->n > 0 ? view->grade[0] : *grade;
        *longest = view->n > *longest ? view->n : *longest;
    }
    return u;
}

int rm_graded_values(const rm_meter *m, const rm_family *family, const rm_group *g, double *ideals)
{
    const rm_metric *metric = &m->plan->metrics[family->first];
    known_ideal *known = (known_ideal *)g->t->ideals.data + family->first * IDEALS;
    rm_user user = {.gains = &m->gains[metric->gain], .discounts = m->discounts[metric->discount]};
    rm_cutoffs cutoffs = g->cutoffs;
    int32_t u, end;
    for (u = 0; u < g->n; u = end) {
        double grade;
        int64_t longest;
        cutoffs.values = g->cutoffs.values + u * cutoffs.n;
        end = alike_run(g, u, &grade, &longest);
        if (end > u) {
            if (!repeat_gain(g->t, rm_make_gain(user.gains, grade), longest))
                return 0;
            user.gain = g->t->same_gain.data;
            alike_values(metric, known, &user, g->views + u, end - u, cutoffs, ideals);
        } else {
            user.gain = load_gains(user.gains, &g->views[u], &g->t->gain);
            if (!user.gain)
                return 0;
            user_values(metric, &user, &g->views[u], cutoffs, ideals);
            end = u + 1;
        }
    }
    return 1;
}
