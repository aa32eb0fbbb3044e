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

/* ---- gains (measure_plain_gain.c) ---- */

/* Whether the gains are found without a search, and their sums are finite; *is_alike: all are the same. */
int rm_has_plain_gains(const rm_meter *meter, const double *grade, int64_t n, int *is_alike);
/* 0 when memory is short, as below. */
int rm_open_ideals(const rm_meter *meter, rm_together *together);
/* `ideals` has room for those of one user. */
int rm_graded_values(const rm_meter *meter, const rm_family *family, const rm_group *group, double *ideals);

#endif
