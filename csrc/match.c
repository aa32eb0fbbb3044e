/* Flat rows with item ids: the places, in each user's rows, of the items in a sorted list of that user. */
#include "internal.h"

typedef struct {
    const int64_t *offsets, *starts, *items;
    const rm_array *codes;
    int64_t *counts;
    const int64_t *out_starts;
    int64_t *places;
} matcher;

int rm_holds(const int64_t *items, int64_t n, int64_t code)
{
    int64_t low = 0, high = n;
    while (low < high) {
        int64_t middle = low + (high - low) / 2;
        if (items[middle] < code)
            low = middle + 1;
        else
            high = middle;
    }
    return low < n && items[low] == code;
}

static rm_code match_one(void *context, void *scratch, int64_t user)
{
    const matcher *m = context;
    const int64_t *items = m->items + m->starts[user];
    int64_t n_items = m->starts[user + 1] - m->starts[user], begin = m->offsets[user], found = 0, j;
    (void)scratch;
    for (j = begin; n_items > 0 && j < m->offsets[user + 1]; j++)
        if (rm_holds(items, n_items, rm_integer(m->codes, j))) {
            if (m->places)
                m->places[m->out_starts[user] + found] = j - begin;
            found++;
        }
    if (m->counts)
        m->counts[user] = found;
    return RM_OK;
}

rm_status rm_match_rows(int64_t n_users, const int64_t *offsets, const rm_array *codes, const int64_t *starts,
                        const int64_t *items, const rm_run *run, int64_t *counts, const int64_t *out_starts,
                        int64_t *places)
{
    matcher m = {offsets, starts, items, codes, counts, out_starts, places};
    rm_loop loop = {.body = match_one, .context = &m, .n_users = n_users, .work = offsets[n_users]};
    return rm_for_users(&loop, run);
}
