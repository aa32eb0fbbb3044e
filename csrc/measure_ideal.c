/* The best order of all entries. */
#include "measure.h"

int rm_descends(const double *values, int64_t n)
{
    int64_t i;
    for (i = 1; i < n; i++)
        if (values[i] > values[i - 1])
            return 0;
    return 1;
}

typedef struct {
    const double *grade;
    int32_t *order;
} by_grade;

#define SORT_NAME sort_grades
#define SORT_CONTEXT by_grade
#define BEFORE(c, i, j) ((c)->grade[(c)->order[i]] > (c)->grade[(c)->order[j]])
#define SWAP(c, i, j) rm_swap_entries((c)->order, i, j)
#include "sort.h"

/* Whole grades are sorted by counting, as there are few of them; 0 if one is not whole or not small. */
static int sort_whole(const double *grade, int32_t *order, int64_t n)
{
    int64_t ends[RM_SMALL_GRADES] = {0}, i, end = 0;
    int whole;
    for (i = 0; i < n; i++) {
        whole = rm_small_grade(grade[i]);
        if (whole < 0)
            return 0;
        ends[whole]++;
    }
    for (whole = RM_SMALL_GRADES - 1; whole > 0; whole--) {
        int64_t here = ends[whole];
        ends[whole] = end;
        end += here;
    }
    for (i = 0; i < n; i++)
        order[ends[(int)grade[i]]++] = (int32_t)i;
    return 1;
}

void rm_sort_entries(const double *grade, int32_t *order, int64_t n)
{
    by_grade context = {grade, order};
    sort_grades(&context, 0, n);
}

void rm_sort_by_grade(const double *grade, int32_t *order, int64_t n)
{
    int64_t i;
    if (sort_whole(grade, order, n))
        return;
    for (i = 0; i < n; i++)
        order[i] = (int32_t)i;
    rm_sort_entries(grade, order, n);
}

double rm_full_ideal(const rm_user *user, const int32_t *order, int64_t k)
{
    double sum = 0.0;
    int64_t i, n = user->candidates < k ? user->candidates : k;
    if (k != INT64_MAX)
        n = k;
    if (user->n == 0)
        return 0.0;
    for (i = 0; i < n && !(i % RM_STOP_EVERY == RM_STOP_EVERY - 1 && rm_stopped()); i++)
        sum += rm_discount(user, i);
    return sum * rm_gain_of(user, user->gain, order ? order[0] : 0);
}

RM_WALKER void ideals(const rm_user *user, const int32_t *order, const rm_cutoffs *cutoffs)
{
    const double *gain = user->gain;
    double sum = 0.0;
    int64_t i = 0;
    int32_t j;
    for (j = 0; j < cutoffs->n; j++) {
        int64_t n = user->n < cutoffs->k[j] ? user->n : cutoffs->k[j];
        for (; i < n; i++)
            sum += rm_gain_of(user, gain, order ? order[i] : i) * rm_discount(user, i);
        cutoffs->values[j] = sum;
    }
}

double rm_ideal(const rm_user *user, const int32_t *order, int64_t k)
{
    double value;
    ideals(user, order, &(rm_cutoffs){&k, 1, &value});
    return value;
}

void rm_ideal_at(const rm_user *user, const int32_t *order, const rm_cutoffs *cutoffs)
{
    ideals(user, order, cutoffs);
}

void rm_ideal_of_whole(const rm_user *user, const uint8_t *grade, const rm_cutoffs *cutoffs)
{
    int64_t left[RM_SMALL_GRADES] = {0}, n_entries = user->n, i, end = 0;
    double sum = 0.0, gain = 0.0;
    int whole = RM_SMALL_GRADES;
    int32_t j;
    for (i = 0; i < n_entries; i++)
        left[grade[i]]++;
    for (i = 0, j = 0; j < cutoffs->n; j++) {
        int64_t n = n_entries < cutoffs->k[j] ? n_entries : cutoffs->k[j], stop;
        while (i < n) {
            for (; i == end; end += left[whole])
                gain = user->gains->small[--whole];
            for (stop = end < n ? end : n; i < stop; i++)
                sum += gain * rm_discount(user, i);
        }
        cutoffs->values[j] = sum;
    }
}
