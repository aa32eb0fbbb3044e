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

static uint64_t bits_of(const double *value)
{
    uint64_t bits;
    memcpy(&bits, value, sizeof bits);
    return bits;
}

/* Grades are numbers > 0: equal ones have the same bits. */
static int are_alike(const double *grade, int64_t n)
{
    int64_t i = 1;
    while (i < n && bits_of(&grade[i]) == bits_of(grade))
        i++;
    return i >= n;
}

/* 0 where one is not small or not whole; else *found has a bit for each there is. */
static int load_whole(const double *grade, int64_t n, uint8_t *whole, uint64_t *found)
{
    uint64_t differ = 0, each = 0;
    int64_t i;
    for (i = 0; i < n; i++) {
        int small = (int)(grade[i] < RM_SMALL_GRADES ? grade[i] : RM_SMALL_GRADES);
        double same = small;
        differ |= bits_of(&same) ^ bits_of(&grade[i]);
        whole[i] = (uint8_t)small;
        each |= (uint64_t)1 << small;
    }
    *found = each;
    return !differ && each >> RM_SMALL_GRADES == 0;
}

static int is_safe(const rm_meter *m, rm_together *t, double grade)
{
    if (grade != t->safe_grade && !are_safe(m, grade))
        return 0;
    t->safe_grade = grade;
    return 1;
}

int rm_has_plain_gains(const rm_meter *m, rm_together *t, const double *grade, int64_t n, uint8_t *whole,
                       int *is_alike)
{
    uint64_t found = 0;
    int one;
    *is_alike = !m->any_graded || are_alike(grade, n);
    if (*is_alike)
        return !m->any_graded || n == 0 || is_safe(m, t, grade[0]);
    if (!load_whole(grade, n, whole, &found))
        return 0;
    for (one = 0; found & ~t->safe_grades && one < RM_SMALL_GRADES; one++)
        if (found >> one & 1 && !are_safe(m, one))
            return 0;
    t->safe_grades |= found;
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

void rm_alike_gains(const rm_meter *m, const rm_metric *metric, const rm_together *t, int32_t begin,
                    int32_t end, double *gains)
{
    double grade = 0.0, gain = 0.0;
    int32_t u;
    for (u = begin; u < end; u++) {
        const rm_view *view = &t->views[u];
        if (view->n > 0 && view->grade[0] != grade) {
            grade = view->grade[0];
            gain = rm_make_gain(&m->gains[metric->gain], grade);
        }
        gains[u - begin] = gain;
    }
}

int rm_alike_ideals(const rm_meter *m, const rm_metric *metric, rm_together *t, int32_t begin, int32_t end,
                    double *ideals)
{
    known_ideal *known = (known_ideal *)t->ideals.data + (metric - m->plan->metrics) * IDEALS;
    rm_user user = {.gains = &m->gains[metric->gain], .discounts = m->discounts[metric->discount]};
    int64_t k = metric->ideal == RM_IDEAL_UNCUT ? INT64_MAX : metric->k;
    int32_t u;
    for (u = begin; u < end; u++) {
        user.n = t->views[u].n;
        if (!repeat_gain(t, t->gains[u - begin], user.n))
            return 0;
        user.gain = t->same_gain.data;
        ideals[u - begin] = ideal_of(known, &user, k);
    }
    return 1;
}

/* ---- one user after another ---- */

static void alike_values(const rm_metric *metric, known_ideal *known, const rm_user *user,
                         const rm_view *view, rm_cutoffs cutoffs, double *ideals)
{
    int32_t j;
    if (metric->kind != RM_IDCG)
        rm_cumulated_places(user, view, cutoffs, metric->kind != RM_CG);
    for (j = 0; j < cutoffs.n && rm_has_ideal(metric); j++)
        ideals[j] = ideal_of(known, user, metric->ideal == RM_IDEAL_UNCUT ? INT64_MAX : cutoffs.k[j]);
}

static void whole_values(const rm_metric *metric, const rm_user *user, const rm_view *view,
                         const uint8_t *grade, rm_cutoffs cutoffs, double *ideals)
{
    const int64_t all = INT64_MAX;
    if (metric->kind != RM_IDCG)
        rm_cumulated_whole(user, view, grade, cutoffs, metric->kind != RM_CG);
    if (rm_has_ideal(metric))
        rm_ideal_of_whole(
            user, grade,
            &(rm_cutoffs){metric->ideal == RM_IDEAL_UNCUT ? &all : cutoffs.k, cutoffs.n, ideals});
}

int rm_graded_values(const rm_meter *m, const rm_family *family, const rm_group *g, double *ideals)
{
    const rm_metric *metric = &m->plan->metrics[family->first];
    known_ideal *known = (known_ideal *)g->t->ideals.data + family->first * IDEALS;
    rm_user user = {.gains = &m->gains[metric->gain], .discounts = m->discounts[metric->discount]};
    rm_cutoffs cutoffs = g->cutoffs;
    int32_t u;
    for (u = 0; u < g->n; u++, cutoffs.values += cutoffs.n) {
        const rm_view *view = &g->views[u];
        const uint8_t *grade = g->t->grades[g->begin + u];
        user.n = view->n;
        if (grade) {
            whole_values(metric, &user, view, grade, cutoffs, ideals);
        } else {
            double gain = view->n > 0 ? rm_make_gain(user.gains, view->grade[0]) : g->t->repeated;
            if (!repeat_gain(g->t, gain, view->n))
                return 0;
            user.gain = g->t->same_gain.data;
            alike_values(metric, known, &user, view, cutoffs, ideals);
        }
        if (rm_has_ideal(metric))
            divide(metric, ideals, cutoffs.n, cutoffs.values);
    }
    return 1;
}
