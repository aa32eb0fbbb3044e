/* Users without ties side by side, so that a vector holds several of them: how kernels see them. */
#ifndef RANKMILL_COLUMNS_H
#define RANKMILL_COLUMNS_H

#include "together.h"

/* Behind the last user there is room for the rest of a vector; the sum is no power of two, so that entries do
 * not share one part of the cache. */
#define RM_COLUMN_PAD 8
#define RM_COLUMN_WIDTH (RM_TOGETHER + RM_COLUMN_PAD)

/* Users begin .. end, by their number of entries, up or down. */
typedef struct {
    int32_t begin, end;
    const int32_t *place; /* of entry i of user u: place[i * RM_COLUMN_WIDTH + u]; then RM_UNRANKED */
    const int32_t *n;     /* entries of user u */
    const double *relevant, *candidates;
} rm_columns;

/* A value for each user, values[0] for `begin`; some are written beyond the last. Sums are made in the order
 * of a walk over each user's entries, by the same operations, so values are the same bits. */
typedef void (*rm_column_kernel)(const rm_columns *columns, double k, double *values);

typedef struct {
    rm_column_kernel hits, hit, reciprocal_rank, precision_sum, auc, max_f1;
    /* DCG of users of one gain each; table[none] is 0. */
    void (*discounted)(const rm_columns *columns, double k, const double *gain, const double *table,
                       int64_t none, double *values);
    /* values = times * values / whole, or `empty` where that is 0. */
    void (*shares)(double *values, const double *whole, int64_t n, double times, double empty);
    void (*ndcg)(double *values, const double *ideals, int64_t n);
    int64_t (*count_nan)(const double *values, int64_t n);
} rm_column_kernels;

#endif
