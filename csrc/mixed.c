/* Flat rows whose users are mixed. Nothing is kept per row: each pass looks the user of a row up anew. One
 * counts, one collects the relevant entries, and once those are sorted one searches for every candidate among
 * them. Threads share out the rows, so counters are atomic; sums and sorted entries depend on no order. */
#include <math.h>
#include <stdlib.h>

#include "entries.h"

#define ROWS 256        /* looked up together, so that their ways to memory overlap */
#define BLOCK_ROWS 4096 /* what a loop over rows takes for a user */

typedef struct mixer {
    const rm_mixed *mixed;
    const rm_input *input;
    const rm_kernels *kernels;
    const rm_entries *out;
    void *scores; /* of the entries; NULL where there is no room: then they are read from their rows */
    int64_t *candidates, *counts;
    rm_code (*pass)(const struct mixer *m, int64_t at, int64_t start, int64_t n); /* over rows */
    rm_code (*step)(const struct mixer *m, int64_t user);                         /* over users */
} mixer;

/* Where an order settles ties, an entry's row stands in for its grade until the end. */
typedef int64_t row_number __attribute__((may_alias));

static int is_excluded(const mixer *m, int64_t user, int64_t row)
{
    const rm_sparse *exclude = &m->input->exclude;
    const int64_t *items = (const int64_t *)exclude->items.data;
    int64_t begin;
    if (!exclude->starts)
        return 0;
    begin = exclude->starts[user];
    return rm_holds(items + begin, exclude->starts[user + 1] - begin, rm_integer(&m->mixed->codes, row));
}

/* Whether the candidate of row a stands before that of row b, which has the same score. */
static int leads(const rm_input *input, int64_t a, int64_t b)
{
    int64_t key_a = 0, key_b = 0;
    if (input->keys.data) {
        key_a = rm_integer(&input->keys, a);
        key_b = rm_integer(&input->keys, b);
    }
    return key_a != key_b ? key_a > key_b : a < b;
}

static void add_one(int32_t *count)
{
#pragma omp atomic
    (*count)++;
}

static void add_one_64(int64_t *count)
{
#pragma omp atomic
    (*count)++;
}

static int32_t taken_before(int32_t *count)
{
    int32_t before;
#pragma omp atomic capture
    before = (*count)++;
    return before;
}

#define T f32
#include "typed.h"
#include "sorted_user.h"
#include "mixed_rows.h"
#include "typed_end.h"
#define T f64
#include "typed.h"
#include "sorted_user.h"
#include "mixed_rows.h"
#include "typed_end.h"
#define T i64
#include "typed.h"
#include "sorted_user.h"
#include "mixed_rows.h"
#include "typed_end.h"

/* ---- loops ---- */

static rm_code pass_block(void *context, void *scratch, int64_t block)
{
    const mixer *m = context;
    int64_t start = block * BLOCK_ROWS, end = start + BLOCK_ROWS;
    rm_code status = RM_OK;
    (void)scratch;
    end = end < m->mixed->n_rows ? end : m->mixed->n_rows;
    for (; start < end && status == RM_OK; start += ROWS)
        status = m->pass(m, block, start, end - start < ROWS ? end - start : ROWS);
    return status;
}

static rm_code step_user(void *context, void *scratch, int64_t user)
{
    const mixer *m = context;
    (void)scratch;
    return m->step(m, user);
}

/* A loop over rows knows the row that failed, as the column of a block; its user is found here. */
static rm_status over_rows(mixer *m, const rm_run *run)
{
    int64_t n_blocks = (m->mixed->n_rows + BLOCK_ROWS - 1) / BLOCK_ROWS;
    rm_loop loop = {.body = pass_block, .context = m, .n_users = n_blocks, .work = m->mixed->n_rows};
    rm_status status = rm_for_users(&loop, run);
    int32_t user = 0;
    if (status.code != RM_OK && status.column >= 0) {
        rm_groups_find(m->mixed->groups, status.column, 1, &user);
        status.row = user;
    }
    return status;
}

static rm_status over_users(mixer *m, const rm_run *run)
{
    rm_loop loop = {.body = step_user, .context = m, .n_users = m->input->n_users, .work = m->mixed->n_rows};
    return rm_for_users(&loop, run);
}

#define CHOOSE(input, function)                                                            \
    (rm_kernel_type_of((input)->scores.type) == RM_KERNEL_F32   ? JOIN_TYPE(function, f32) \
     : rm_kernel_type_of((input)->scores.type) == RM_KERNEL_F64 ? JOIN_TYPE(function, f64) \
                                                                : JOIN_TYPE(function, i64))
#define JOIN_TYPE(function, type) function##_##type

/* Below min_score there are relevant rows that are no candidates, and entries are counted in 32 bits too. */
static rm_status check_size(int64_t user, int64_t n)
{
    return n < RM_UNRANKED ? rm_ok() : rm_fail(RM_TOO_MANY_CANDIDATES, user, -1, (double)n);
}

rm_status rm_mixed_count(const rm_mixed *mixed, const rm_run *run, int64_t *candidates, int64_t *counts)
{
    mixer m = {.mixed = mixed,
               .input = mixed->input,
               .kernels = run->kernels,
               .candidates = candidates,
               .counts = counts};
    rm_status status;
    int64_t u;
    for (u = 0; u < m.input->n_users; u++)
        candidates[u] = counts[u] = 0;
    m.pass = CHOOSE(m.input, count_rows);
    status = over_rows(&m, run);
    for (u = 0; u < m.input->n_users && status.code == RM_OK; u++)
        status = check_size(u, candidates[u] > counts[u] ? candidates[u] : counts[u]);
    return status;
}

static rm_status rank_collected(mixer *m, const rm_run *run)
{
    rm_status status;
    m->pass = CHOOSE(m->input, collect_rows);
    status = over_rows(m, run);
    m->step = CHOOSE(m->input, sort_entries);
    if (status.code == RM_OK)
        status = over_users(m, run);
    m->pass = CHOOSE(m->input, search_rows);
    if (status.code == RM_OK)
        status = over_rows(m, run);
    m->step = CHOOSE(m->input, finish_entries);
    return status.code == RM_OK ? over_users(m, run) : status;
}

rm_status rm_mixed_rank(const rm_mixed *mixed, const rm_run *run, const rm_entries *out)
{
    mixer m = {.mixed = mixed, .input = mixed->input, .kernels = run->kernels, .out = out};
    int64_t n = out->offsets[m.input->n_users], i;
    size_t size = rm_kernel_type_of(m.input->scores.type) == RM_KERNEL_F32 ? 4 : 8;
    rm_status status;
    /* With an order, places and rows leave room for scores of 4 bytes within 24 per entry. */
    if (!out->position || size == 4) {
        m.scores = malloc((size_t)(n + 1) * size);
        if (!m.scores)
            return rm_fail(RM_NO_MEMORY, -1, -1, 0.0);
    }
    for (i = 0; i < n; i++)
        out->tied[i] = 0;
    status = rank_collected(&m, run);
    free(m.scores);
    return status;
}
