/* Users without ties, many of them together. */
#ifndef RANKMILL_MEASURE_PLAIN_H
#define RANKMILL_MEASURE_PLAIN_H

#include "measure.h"

/* n users from number `begin` on, and their values for a family, one user's after another's. */
typedef struct {
    rm_together *t;
    int32_t begin, n;
    const rm_view *views;
    const int64_t *candidates, *rows;
    rm_cutoffs cutoffs;
} rm_group;

/* ---- users side by side (measure_columns.c) ---- */

/* 0 when memory is short, as below. */
int rm_fill_columns(rm_together *together);
int rm_measure_columns(const rm_meter *meter, const rm_family *family, rm_together *together, int32_t begin,
                       int32_t end);

/* ---- gains (measure_plain_gain.c) ---- */

/* Whether the gains are found without a search, and their sums are finite; *is_alike: all are the same, else
 * `whole` holds the grades. */
int rm_has_plain_gains(const rm_meter *meter, rm_together *together, const double *grade, int64_t n,
                       uint8_t *whole, int *is_alike);
int rm_open_ideals(const rm_meter *meter, rm_together *together);
/* `ideals` has room for those of one user. */
int rm_graded_values(const rm_meter *meter, const rm_family *family, const rm_group *group, double *ideals);
/* For users begin .. end who have one gain each. */
void rm_alike_gains(const rm_meter *meter, const rm_metric *metric, const rm_together *together,
                    int32_t begin, int32_t end, double *gains);
int rm_alike_ideals(const rm_meter *meter, const rm_metric *metric, rm_together *together, int32_t begin,
                    int32_t end, double *ideals);

#endif
