/* Users without ties, gathered to be measured together. */
#ifndef RANKMILL_PLAIN_H
#define RANKMILL_PLAIN_H

#include "together.h"
#include "walk.h"

/* How plain a user is: some entries tie, or are no candidates; none does; and gains are easy to find, too. */
typedef enum { RM_TIED, RM_UNTIED, RM_GRADED, RM_NONE_SUCH } rm_plainness;

/* Plain users whose values are found together: those who are RM_GRADED from the front on, the others up to
 * the end. */
typedef struct {
    rm_view views[RM_TOGETHER];
    int64_t candidates[RM_TOGETHER], rows[RM_TOGETHER];
    const uint8_t *grades[RM_TOGETHER]; /* small and whole; NULL: all entries have one grade */
    int32_t n_graded, first_other;
    rm_plainness plainness[RM_TOGETHER]; /* by row */
    int any_odd;                         /* some row must be measured on its own for some family */
    int all_alike;                       /* none of those who are graded has two grades */
    int any_beyond;                      /* some entry stands behind all candidates: the ranks are made up */
    int64_t most_candidates;
    rm_buffer values;

    /* gains (measure_plain_gain.c) */
    rm_buffer ideals, same_gain, whole_grades;
    double repeated; /* the gain that `same_gain` holds, so many times */
    int64_t n_repeated;
    double safe_grade;    /* whose gains may be summed; 0: none is known */
    uint64_t safe_grades; /* the small whole ones, a bit each */

    /* users side by side (measure_columns.c) */
    rm_buffer places;
    int in_columns; /* whether their places stand so */
    int any_empty;  /* some user has no entry */
    int32_t n_entries[RM_COLUMN_WIDTH];
    double relevant[RM_COLUMN_WIDTH], n_candidates[RM_COLUMN_WIDTH];
    double found[RM_COLUMN_WIDTH], whole[RM_COLUMN_WIDTH], gains[RM_COLUMN_WIDTH]; /* of the metric at hand */
} rm_together;

#endif
