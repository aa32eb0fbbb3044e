/* Areas under curves with a weight per row: the rows of each user are sorted once and summed in that order.
 */
#include <math.h>

#include "internal.h"

typedef struct {
    int64_t key; /* orders like the score */
    double weight;
    int64_t positive;
} weighted_row;

typedef struct {
    const rm_input *input;
    const rm_array *weights;
    rm_metric_kind kind;
    const rm_run *run;
    double *values;
} weigher;

typedef struct {
    rm_buffer rows, items;
} weigh_scratch;

static void release_scratch(void *scratch)
{
    weigh_scratch *s = scratch;
    rm_release(&s->rows);
    rm_release(&s->items);
}

static inline int row_before(const weighted_row *rows, int64_t i, int64_t j)
{
    return rows[i].key > rows[j].key;
}

static inline void row_swap(weighted_row *rows, int64_t i, int64_t j)
{
    weighted_row row = rows[i];
    rows[i] = rows[j];
    rows[j] = row;
}

#define SORT_NAME sort_rows
#define SORT_CONTEXT weighted_row
#define BEFORE(c, i, j) row_before(c, i, j)
#define SWAP(c, i, j) row_swap(c, i, j)
#include "sort.h"

/* An integer that orders as the double does; -0.0 and 0.0 give the same. */
static int64_t order_key(double value)
{
    int64_t bits;
    value += 0.0;
    memcpy(&bits, &value, sizeof bits);
    return bits < 0 ? INT64_MIN - bits : bits;
}

static rm_code load_rows(const weigher *w, weighted_row *rows, int64_t user, int64_t n)
{
    const rm_array *scores = &w->input->scores;
    const char *from = rm_row(scores, w->input->offsets, user);
    const char *weights = rm_row(w->weights, w->input->offsets, user);
    int64_t j;
    for (j = 0; j < n; j++) {
        double score;
        if (j % RM_STOP_EVERY == 0 && j && rm_stopped())
            return rm_stop(RM_INTERRUPTED, -1, -1, 0.0);
        if (rm_kernel_type_of(scores->type) == RM_KERNEL_I64) {
            rm_load_i64(scores, from, j, 1, &rows[j].key);
        } else {
            rm_load_f64(scores, from, j, 1, &score);
            if (isnan(score))
                return rm_stop(RM_NAN_SCORE, user, j, score);
            rows[j].key = order_key(score);
        }
        rm_load_f64(w->weights, weights, j, 1, &rows[j].weight);
        if (!isfinite(rows[j].weight) || rows[j].weight < 0.0)
            return rm_stop(RM_BAD_WEIGHT, user, j, rows[j].weight);
        rows[j].positive = 0;
    }
    return RM_OK;
}

/* A power of two off each weight changes no ratio, and no product is lost or infinite. */
static void scale_weights(weighted_row *rows, int64_t n)
{
    double largest = 0.0;
    int exponent;
    int64_t j;
    for (j = 0; j < n; j++)
        largest = rows[j].weight > largest ? rows[j].weight : largest;
    frexp(largest, &exponent);
    for (j = 0; j < n; j++)
        rows[j].weight = ldexp(rows[j].weight, -exponent);
}

/* The rows of one score: their weights, and the first row behind them. */
typedef struct {
    double positive, negative;
    int64_t end;
} weighted_block;

static weighted_block block_from(const weighted_row *rows, int64_t n, int64_t first)
{
    weighted_block block = {0.0, 0.0, first};
    for (; block.end < n && rows[block.end].key == rows[first].key; block.end++)
        *(rows[block.end].positive ? &block.positive : &block.negative) += rows[block.end].weight;
    return block;
}

static double auc(const weighted_row *rows, int64_t n)
{
    double positives = 0.0, negatives = 0.0, won = 0.0;
    weighted_block block = {0};
    while (block.end < n) {
        block = block_from(rows, n, block.end);
        won += block.negative * (positives + block.positive / 2.0);
        positives += block.positive;
        negatives += block.negative;
    }
    return positives > 0.0 && negatives > 0.0 ? won / positives / negatives : NAN;
}

static double pr_auc(const weighted_row *rows, int64_t n)
{
    double positives = 0.0, all = 0.0, sum = 0.0;
    weighted_block block = {0};
    while (block.end < n) {
        block = block_from(rows, n, block.end);
        positives += block.positive;
        all += block.positive + block.negative;
        if (block.positive > 0.0)
            sum += block.positive * (positives / all);
    }
    return positives > 0.0 ? sum / positives : NAN;
}

static rm_code weigh_one(void *context, void *scratch, int64_t user)
{
    const weigher *w = context;
    weigh_scratch *s = scratch;
    int64_t n = rm_row_length(w->input, user), p = n, i;
    weighted_row *rows = rm_reserve(&s->rows, n, sizeof *rows);
    int32_t *items = rm_reserve(&s->items, n, sizeof *items);
    rm_code status;
    if (!rows || !items)
        return rm_stop(RM_NO_MEMORY, -1, -1, 0.0);
    if (n >= RM_UNRANKED)
        return rm_stop(RM_TOO_MANY_CANDIDATES, user, -1, (double)n);
    status = load_rows(w, rows, user, n);
    if (status == RM_OK)
        status = rm_find_relevant(w->input, w->run->kernels, user, n, items, NULL, &p);
    if (status != RM_OK)
        return status;
    for (i = 0; i < p; i++)
        rows[items[i]].positive = 1;
    scale_weights(rows, n);
    sort_rows(rows, 0, n);
    w->values[user] = w->kind == RM_AUC ? auc(rows, n) : pr_auc(rows, n);
    return status;
}

rm_status rm_weighted_area(const rm_input *input, const rm_array *weights, rm_metric_kind kind,
                           const rm_run *run, double *values)
{
    weigher w = {input, weights, kind, run, values};
    int64_t n_rows = input->offsets ? input->offsets[input->n_users] : input->n_users * input->n_items;
    rm_loop loop = {.body = weigh_one,
                    .context = &w,
                    .scratch_size = sizeof(weigh_scratch),
                    .release = release_scratch,
                    .n_users = input->n_users,
                    .work = n_rows};
    return rm_for_users(&loop, run);
}
