/* Users in a row, each step for all of them: with few candidates, what ranking a user asks beside its
 * comparisons costs more than they do, and so does a loop that ends where the processor did not expect it. */
#include "entries.h"
#include "rank.h"
#include "together.h"

#define T f32
#include "typed.h"
#include "rank_found.h"
#include "typed_end.h"
#define T f64
#include "typed.h"
#include "rank_found.h"
#include "typed_end.h"
#define T i64
#include "typed.h"
#include "rank_found.h"
#include "typed_end.h"

static int is_plain(const rm_ranker *r)
{
    const rm_input *input = r->input;
    return r->in_place && rm_are_bytes(&input->labels) && !input->exclude.starts && !input->has_min_score &&
           input->order == RM_ORDER_NONE;
}

/* The relevant items of all users, in `ahead`; 0 where a row is too long or not as it was. */
static int find_items(const rm_ranker *r, int64_t first, int64_t n, const rm_rows *rows)
{
    const rm_input *input = r->input;
    int64_t i, room = 0;
    for (i = 0; i < n; i++)
        room += rows->most[i];
    for (i = 0; i < n; i++) {
        int64_t base = rows->offsets[i], length = rm_row_length(input, first + i), found;
        if (length >= RM_TILE)
            return 0;
        found = r->run->kernels->find_labels(rm_row(&input->labels, input->offsets, first + i), length,
                                             input->labels.type == RM_I8, 0, rows->entries.ahead + base,
                                             room - base);
        if (found < 0)
            return 0;
        rows->offsets[i + 1] = base + found;
    }
    return 1;
}

static int rank_together(const rm_ranker *r, rm_rank_scratch *s, int64_t first, int64_t n,
                         const rm_rows *rows)
{
    rm_kernel_type type = rm_kernel_type_of(r->input->scores.type);
    uint8_t order[RM_TOGETHER];
    int64_t step;
    if (!find_items(r, first, n, rows))
        return 0;
    rm_order_by_length(rows->offsets, n, order);
    for (step = 0; step < n; step++) {
        int64_t i = order[step], base = rows->offsets[i], n_entries = rows->offsets[i + 1] - base;
        rm_entries out = rm_slice(&rows->entries, base);
        rows->candidates[i] = rm_row_length(r->input, first + i);
        if (!FOR_KERNEL_TYPE(rank_found, type, r, s, &out, first + i, rows->candidates[i], n_entries) &&
            rm_rank_user(r, s, first + i, &out, &n_entries, &rows->candidates[i]) != RM_OK)
            return 0;
    }
    return 1;
}

rm_code rm_rank_rows(const rm_ranker *r, rm_rank_scratch *s, int64_t first, int64_t *n, const rm_rows *rows)
{
    int64_t i;
    rows->offsets[0] = 0;
    if (is_plain(r) && rank_together(r, s, first, *n, rows))
        return RM_OK;
    for (i = 0; i < *n; i++) { /* in turn, so that the first failure counts */
        rm_entries out = rm_slice(&rows->entries, rows->offsets[i]);
        int64_t n_entries = rows->most[i];
        rm_code status = rm_rank_user(r, s, first + i, &out, &n_entries, &rows->candidates[i]);
        if (status != RM_OK) {
            *n = i;
            return status;
        }
        rows->offsets[i + 1] = rows->offsets[i] + n_entries;
    }
    return RM_OK;
}
