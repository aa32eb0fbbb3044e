/* Sorting the entries of one user, for the files that count them. */
#ifndef RANKMILL_ENTRIES_H
#define RANKMILL_ENTRIES_H

#include "internal.h"

/* From this many relevant items on, candidates are sorted in batches and merged with them. */
#define MANY 4096
#define BATCH (1 << 16) /* candidates sorted at a time: little memory, and in the cache */

typedef uint32_t radix_key_f32;
typedef uint64_t radix_key_f64;
typedef uint64_t radix_key_i64;
enum { is_float_f32 = 1, is_float_f64 = 1, is_float_i64 = 0 };

/* The bound of min_score in each kernel type. */
static inline float min_score_f32(const rm_input *input) { return (float)input->min_score_float; }
static inline double min_score_f64(const rm_input *input) { return input->min_score_float; }
static inline int64_t min_score_i64(const rm_input *input) { return input->min_score_int; }

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

static inline void order_ties(rm_entries *entries, int64_t n)
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

/* Entries from `kept` on score below min_score and are no candidates: they go last, by grade. */
static inline void drop_entries(rm_entries *e, int64_t kept, int64_t n)
{
    grade_position dropped = {e->grade, NULL};
    int64_t i;
    for (i = kept; i < n; i++) {
        e->ahead[i] = RM_UNRANKED;
        e->tied[i] = 0;
        if (e->position)
            e->position[i] = RM_UNRANKED;
    }
    if (kept < n)
        sort_tail(&dropped, kept, n);
}

/* ---- entries sorted by score, with the candidates of each bucket -> counts ---- */

/* A candidate was added to the first entry it does not stand below; so an entry without any has the score of
 * the one before it. */
static inline void unfold(rm_entries *e, int64_t n)
{
    int64_t i, first = 0;
    int32_t at_least = 0, position = 0;
    for (i = 0; i < n; i++) {
        if (e->ahead[i] != 0) {
            at_least += e->ahead[i];
            first = i;
        }
        e->tied[i] = e->tied[first];
        e->ahead[i] = at_least - e->tied[i];
        if (e->position)
            e->position[i] = position += e->position[i];
    }
}

/* ---- entries counted as they came: by ahead, then grade descending ---- */

static inline int counted_before(const rm_entries *e, int64_t i, int64_t j)
{
    if (e->ahead[i] != e->ahead[j])
        return e->ahead[i] < e->ahead[j];
    return e->grade[i] > e->grade[j];
}

static inline void counted_swap(const rm_entries *e, int64_t i, int64_t j)
{
    int32_t ahead = e->ahead[i], tied = e->tied[i];
    double grade = e->grade[i];
    e->ahead[i] = e->ahead[j];
    e->tied[i] = e->tied[j];
    e->grade[i] = e->grade[j];
    e->ahead[j] = ahead;
    e->tied[j] = tied;
    e->grade[j] = grade;
}

#define SORT_NAME sort_counted
#define SORT_CONTEXT const rm_entries
#define BEFORE(c, i, j) counted_before(c, i, j)
#define SWAP(c, i, j) counted_swap(c, i, j)
#include "sort.h"

/* So few counts are kept in vectors, and sorted without a branch to mispredict. */
#define FEW 8
typedef int32_t four __attribute__((vector_size(16), may_alias)); /* as wide as every machine has them */
typedef struct {
    four above[FEW / 4], at_least[FEW / 4];
} few_counts;

static inline int32_t sum_of_four(four v) { return v[0] + v[1] + v[2] + v[3]; }

/* 0 if there are ties. The number of entries ahead of each is its index. */
static inline int order_few(const rm_entries *e, const few_counts *counts, int n)
{
    const int32_t *above = (const int32_t *)counts->above;
    four tied = counts->at_least[0] - counts->above[0] + counts->at_least[1] - counts->above[1];
    four index[FEW / 4] = {{0}, {0}};
    double grade[FEW];
    int i;
    if (sum_of_four(tied) != n)
        return 0;
    for (i = 0; i < n; i++) {
        four each = (four){0} + above[i];
        index[0] -= counts->above[0] > each;
        index[1] -= counts->above[1] > each;
        grade[i] = e->grade[i];
    }
    for (i = 0; i < n; i++) {
        int at = ((const int32_t *)index)[i];
        e->ahead[at] = above[i];
        e->grade[at] = grade[i];
        e->tied[i] = 1;
    }
    return 1;
}

static inline void order_few_tied(const rm_entries *e, const few_counts *counts, int n)
{
    const int32_t *above = (const int32_t *)counts->above, *at_least = (const int32_t *)counts->at_least;
    int i;
    for (i = 0; i < n; i++) {
        e->ahead[i] = above[i];
        e->tied[i] = at_least[i] - above[i];
    }
    sort_counted(e, 0, n);
}

#define MARKED 4096 /* places among which entries are sorted by marking theirs */

/* Should scores change while they are counted, entries may share a place, or have one behind the last. */
static inline void order_marked(const rm_entries *e, int64_t n, int64_t n_places)
{
    uint64_t marks[MARKED / 64 + 1];
    double grade[MARKED + 1];
    int64_t i, word, at = 0;
    for (word = 0; word * 64 < n_places; word++)
        marks[word] = 0;
    for (i = 0; i < n; i++) {
        int32_t place = e->ahead[i];
        marks[place / 64] |= (uint64_t)1 << place % 64;
        grade[place] = e->grade[i];
    }
    for (word = 0; at < n && word * 64 < n_places; word++) {
        uint64_t mask;
        for (mask = marks[word]; mask; mask &= mask - 1) {
            int32_t place = (int32_t)(word * 64 + __builtin_ctzll(mask));
            e->ahead[at] = place;
            e->grade[at++] = grade[place];
        }
    }
}

/* `tied` holds the candidates that are not below. Without ties, for which it returns 1, places are distinct,
 * and marking them is enough of a sort. */
static inline int order_counted(const rm_entries *e, int64_t n, int64_t n_places)
{
    int any_tied = 0;
    int64_t i;
    for (i = 0; i < n; i++) {
        e->tied[i] -= e->ahead[i];
        any_tied |= e->tied[i] != 1;
    }
    if (!any_tied && n_places <= MARKED)
        order_marked(e, n, n_places);
    else
        sort_counted(e, 0, n);
    return !any_tied;
}

#endif
