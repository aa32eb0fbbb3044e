/* Metrics of users whose places stand in columns (columns.h), as many at a time as a vector has doubles. */

#define USERS LANES(f64)

static inline f64_vector NAME(place)(const rm_columns *c, int32_t i, int32_t u)
{
    const int32_t *place = c->place + (int64_t)i * RM_COLUMN_WIDTH + u;
    return __builtin_convertvector(*(const halves *)place, f64_vector);
}

/* Entries of those who have most. */
static inline int32_t NAME(most)(const rm_columns *c, int32_t u)
{
    int32_t last = (u + USERS < c->end ? u + USERS : c->end) - 1;
    return c->n[u] > c->n[last] ? c->n[u] : c->n[last];
}

/* v where it holds, and elsewhere another; or 0. */
static inline f64_vector NAME(choose)(f64_mask where, f64_vector v, f64_vector other)
{
    return (f64_vector)((where & (f64_mask)v) | (~where & (f64_mask)other));
}
static inline f64_vector NAME(keep)(f64_mask where, f64_vector v)
{
    return (f64_vector)(where & (f64_mask)v);
}

#define FOR_COLUMNS(c, u) for (u = (c)->begin; u < (c)->end; u += USERS)
#define PUT(c, u, values, v) (*(f64_vector *)((values) + ((u) - (c)->begin)) = (v))

static void NAME(column_hits)(const rm_columns *c, double k, double *values)
{
    int32_t u, i, n;
    FOR_COLUMNS (c, u) {
        f64_mask hits = {0};
        for (i = 0, n = NAME(most)(c, u); i < n; i++)
            hits -= NAME(place)(c, i, u) < k;
        PUT(c, u, values, __builtin_convertvector(hits, f64_vector));
    }
}

/* Users without entries have no first place. */
static inline f64_vector NAME(first_place)(const rm_columns *c, int32_t u)
{
    const f64_vector nowhere = (f64_vector){0} + RM_UNRANKED;
    if (NAME(most)(c, u) == 0)
        return nowhere;
    return NAME(place)(c, 0, u);
}

static void NAME(column_hit)(const rm_columns *c, double k, double *values)
{
    int32_t u;
    FOR_COLUMNS (c, u)
        PUT(c, u, values, NAME(keep)(NAME(first_place)(c, u) < k, (f64_vector){0} + 1.0));
}

static void NAME(column_reciprocal_rank)(const rm_columns *c, double k, double *values)
{
    int32_t u;
    FOR_COLUMNS (c, u) {
        f64_vector place = NAME(first_place)(c, u);
        PUT(c, u, values, NAME(keep)(place < k, 1.0 / (place + 1.0)));
    }
}

static void NAME(column_precision_sum)(const rm_columns *c, double k, double *values)
{
    int32_t u, i, n;
    FOR_COLUMNS (c, u) {
        f64_vector sum = {0};
        for (i = 0, n = NAME(most)(c, u); i < n; i++) {
            f64_vector place = NAME(place)(c, i, u);
            sum += NAME(keep)(place < k, (double)(i + 1) / (place + 1.0));
        }
        PUT(c, u, values, sum);
    }
}

/* All whole numbers below 2^53. */
static void NAME(column_auc)(const rm_columns *c, double k, double *values)
{
    const f64_vector undefined = (f64_vector){0} + NAN;
    int32_t u, i, n;
    FOR_COLUMNS (c, u) {
        f64_vector positives = *(const f64_vector *)(c->relevant + u), twice_won = {0};
        f64_vector negatives = *(const f64_vector *)(c->candidates + u) - positives;
        for (i = 0, n = NAME(most)(c, u); i < n; i++) {
            f64_vector place = NAME(place)(c, i, u);
            twice_won += NAME(keep)(place < k, 2.0 * (negatives - (place - (double)i)));
        }
        PUT(c, u, values,
            NAME(choose)((positives == 0.0) | (negatives == 0.0), undefined,
                         twice_won / (2.0 * positives * negatives)));
    }
}

static void NAME(column_max_f1)(const rm_columns *c, double k, double *values)
{
    int32_t u, i, n;
    FOR_COLUMNS (c, u) {
        f64_vector relevant = *(const f64_vector *)(c->relevant + u), best = {0};
        for (i = 0, n = NAME(most)(c, u); i < n; i++) {
            f64_vector place = NAME(place)(c, i, u), f1 = 2.0 * (double)(i + 1) / (place + 1.0 + relevant);
            best = NAME(choose)((place < k) & (f1 > best), f1, best);
        }
        PUT(c, u, values, best);
    }
}

static void NAME(column_discounted)(const rm_columns *c, double k, const double *gain, const double *table,
                                    int64_t none, double *values)
{
    int32_t u, i, n, within = (int32_t)k;
    FOR_COLUMNS (c, u) {
        f64_vector sum = {0}, gains = *(const f64_vector *)(gain + (u - c->begin));
        for (i = 0, n = NAME(most)(c, u); i < n; i++) {
            const int32_t *place = c->place + (int64_t)i * RM_COLUMN_WIDTH + u;
#define DISCOUNT(lane) table[place[lane] < within ? place[lane] : none]
#if RM_VECTOR_BYTES == 32
            f64_vector discount = {DISCOUNT(0), DISCOUNT(1), DISCOUNT(2), DISCOUNT(3)};
#else
            f64_vector discount = {DISCOUNT(0), DISCOUNT(1)};
#endif
            sum += gains * discount;
        }
        PUT(c, u, values, sum);
    }
}

static void NAME(column_shares)(double *values, const double *whole, int64_t n, double times, double empty)
{
    int64_t u;
    for (u = 0; u < n; u += USERS) {
        f64_vector *value = (f64_vector *)(values + u), all = *(const f64_vector *)(whole + u);
        *value = NAME(choose)(all > 0.0, times * *value / all, (f64_vector){0} + empty);
    }
}

/* More than the ideal is rounding. */
static void NAME(column_ndcg)(double *values, const double *ideals, int64_t n)
{
    const f64_vector undefined = (f64_vector){0} + NAN, one = (f64_vector){0} + 1.0;
    int64_t u;
    for (u = 0; u < n; u += USERS) {
        f64_vector *value = (f64_vector *)(values + u), ideal = *(const f64_vector *)(ideals + u);
        f64_vector ndcg = NAME(choose)(*value < ideal, *value / ideal, one);
        *value = NAME(choose)(ideal == 0.0, undefined, ndcg);
    }
}

static int64_t NAME(column_count_nan)(const double *values, int64_t n)
{
    f64_mask found = {0};
    int64_t u, count = 0;
    int lane;
    for (u = 0; u + USERS <= n; u += USERS) {
        f64_vector value = *(const f64_vector *)(values + u);
        found -= value != value;
    }
    for (; u < n; u++)
        count += values[u] != values[u];
    for (lane = 0; lane < USERS; lane++)
        count += found[lane];
    return count;
}
