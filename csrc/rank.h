/* Ranking one user, for the loops over users. */
#ifndef RANKMILL_RANK_H
#define RANKMILL_RANK_H

#include "internal.h"

typedef struct {
    const rm_input *input;
    const rm_run *run;
    int in_place; /* scores can be read where they lie */
} rm_ranker;

typedef struct {
    rm_buffer items, scores, batch;
    double tile[RM_TILE];
} rm_rank_scratch;

rm_ranker rm_ranker_of(const rm_input *input, const rm_run *run);
void rm_release_rank_scratch(rm_rank_scratch *scratch);

/* Writes the user's entries to `out` (its offsets and candidates are not used). *n_entries holds the room
 * there, then their number. */
rm_code rm_rank_user(const rm_ranker *ranker, rm_rank_scratch *scratch, int64_t user, const rm_entries *out,
                     int64_t *n_entries, int64_t *candidates);

/* Room for the entries of users one after the other, no more than `most` each; where each one's start. */
typedef struct {
    rm_entries entries;
    int64_t *most, *offsets, *candidates;
} rm_rows;

/* The *n <= RM_TOGETHER users from `first` on (rank_together.c). On failure, *n is how many were ranked
 * before it. */
rm_code rm_rank_rows(const rm_ranker *ranker, rm_rank_scratch *scratch, int64_t first, int64_t *n,
                     const rm_rows *rows);

#endif
