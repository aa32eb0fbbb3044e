/* Sorting the entries of one user, for the files that count them. */
#ifndef RANKMILL_ENTRIES_H
#define RANKMILL_ENTRIES_H

#include "internal.h"

#define FEW 12   /* entries sorted by comparing all pairs */
#define SOME 128 /* entries sorted by the counting kernel */

/* From this many relevant items on, candidates are sorted in batches and merged with them. */
#define MANY 4096
#define BATCH (1 << 16) /* candidates sorted at a time: little memory, and in the cache */

typedef uint32_t radix_key_f32;
typedef uint64_t radix_key_f64;
typedef uint64_t radix_key_i64;
enum { is_float_f32 = 1, is_float_f64 = 1, is_float_i64 = 0 };

/* ---- entries that share `ahead`: by grade descending, then position ---- */

typedef struct {
    double *grade;
    int32_t *position;
} grade_position;

static inline int graded_before(const grade_position *g, int64_t i, int64_t j)
{
    if (g->grade[i] != g->grade[j])
        return g->grade[i] > g->grade[j];
    return g->position && g->position[i] < g->position[j];
}

static inline void graded_swap(grade_position *g, int64_t i, int64_t j)
{
    double grade = g->grade[i];
    g->grade[i] = g->grade[j];
    g->grade[j] = grade;
    if (g->position) {
        int32_t position = g->position[i];
        g->position[i] = g->position[j];
        g->position[j] = position;
    }
}

#define SORT_NAME sort_tail
#define SORT_CONTEXT grade_position
#define BEFORE(c, i, j) graded_before(c, i, j)
#define SWAP(c, i, j) graded_swap(c, i, j)
#include "sort.h"

static void order_ties(rm_entries *entries, int64_t n)
{
    grade_position pairs = {entries->grade, entries->position};
    int64_t first, end;
    for (first = 0; first < n; first = end) {
        for (end = first + 1; end < n && entries->ahead[end] == entries->ahead[first];)
            end++;
        if (end - first > 1)
            sort_tail(&pairs, first, end);
    }
}

#endif
