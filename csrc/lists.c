/* Already ranked ids -> Ranks: the place of each relevant item in the user's list. */
#include <stdlib.h>

#include "internal.h"

typedef struct {
    const rm_input *input;
    const rm_kernels *kernels;
    const rm_entries *out;
    int64_t *counts;
    int64_t n_ids;
} lister;

typedef struct {
    int64_t id;
    int64_t stamp; /* the user it was put in for, + 1 */
    double grade;  /* > 0: relevant; 0: only seen; -1: excluded */
    int32_t listed;
} slot;

typedef struct {
    rm_buffer slots;
    int64_t mask;
    int64_t stamp;
} list_scratch;

static void release_scratch(void *scratch) { rm_release(&((list_scratch *)scratch)->slots); }

/* An open-addressing table with room for n ids, empty for this user without being cleared. */
static int prepare(list_scratch *s, int64_t n, int64_t user)
{
    int64_t size = 16;
    size_t before = s->slots.bytes;
    while (size < 2 * n)
        size *= 2;
    if (!rm_reserve(&s->slots, size, sizeof(slot)))
        return 0;
    if (s->slots.bytes != before)
        memset(s->slots.data, 0, s->slots.bytes);
    s->mask = size - 1;
    s->stamp = user + 1;
    return 1;
}

static slot *find(list_scratch *s, int64_t id)
{
    slot *slots = s->slots.data;
    int64_t at = (int64_t)((uint64_t)id * 0x9e3779b97f4a7c15u >> 20) & s->mask;
    while (slots[at].stamp == s->stamp && slots[at].id != id)
        at = (at + 1) & s->mask;
    if (slots[at].stamp != s->stamp)
        slots[at] = (slot){id, s->stamp, 0.0, 0};
    return &slots[at];
}

/* Puts the row's items into the table; excluded ones last, so that they win. */
static rm_code mark(const lister *l, list_scratch *s, int64_t user)
{
    rm_cursor cursor;
    rm_code status = rm_cursor_start(&cursor, &l->input->relevant, user, l->n_ids, RM_ITEM_RANGE);
    while (status == RM_OK && cursor.item != INT64_MAX) {
        if (cursor.value > 0.0)
            find(s, cursor.item)->grade = cursor.value;
        status = rm_cursor_next(&cursor, user, l->n_ids, RM_ITEM_RANGE);
    }
    if (status == RM_OK)
        status = rm_cursor_start(&cursor, &l->input->exclude, user, l->n_ids, RM_EXCLUDE_RANGE);
    while (status == RM_OK && cursor.item != INT64_MAX) {
        find(s, cursor.item)->grade = -1.0;
        status = rm_cursor_next(&cursor, user, l->n_ids, RM_EXCLUDE_RANGE);
    }
    return status;
}

static rm_code count_one(void *context, void *scratch, int64_t user)
{
    const lister *l = context;
    (void)scratch;
    return rm_find_relevant(l->input, l->kernels, user, l->n_ids, NULL, NULL, &l->counts[user]);
}

/* Walks the list; hits go to the front of the user's slice, in order. */
static rm_code walk(const lister *l, list_scratch *s, int64_t user, int64_t *hits)
{
    const rm_array *lists = &l->input->scores;
    const char *row = rm_row(lists, l->input->offsets, user);
    int64_t n = rm_row_length(l->input, user), base = l->out->offsets[user], position = 0, padding = -1, j;
    int64_t room = l->out->offsets[user + 1] - base;
    for (j = 0; j < n; j++) {
        int64_t id;
        slot *found;
        rm_load_i64(lists, row, j, 1, &id);
        if (id < 0 && !l->input->offsets) {
            padding = j;
            continue;
        }
        if (padding >= 0)
            return rm_stop(RM_PADDING, user, j, (double)padding);
        if (id < 0 || id >= l->n_ids)
            return rm_stop(RM_ITEM_RANGE, user, id, 0.0);
        found = find(s, id);
        if (found->listed)
            return rm_stop(RM_DUPLICATE_ITEM, user, id, 0.0);
        found->listed = 1;
        if (found->grade < 0.0)
            continue;
        if (found->grade > 0.0) {
            if (*hits == room)
                return rm_stop(RM_CHANGED, user, -1, 0.0);
            l->out->ahead[base + *hits] = (int32_t)position;
            l->out->tied[base + *hits] = 1;
            l->out->grade[base + (*hits)++] = found->grade;
        }
        position++;
    }
    l->out->candidates[user] = position;
    return RM_OK;
}

static int descending(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x < y) - (x > y);
}

/* Relevant items that the list missed stand behind every place, by grade. */
static rm_code add_missed(const lister *l, list_scratch *s, int64_t user, int64_t hits)
{
    int64_t at = l->out->offsets[user] + hits, end = l->out->offsets[user + 1], first = at;
    rm_cursor cursor;
    rm_code status = rm_cursor_start(&cursor, &l->input->relevant, user, l->n_ids, RM_ITEM_RANGE);
    while (status == RM_OK && cursor.item != INT64_MAX) {
        slot *found = find(s, cursor.item);
        if (cursor.value > 0.0 && found->grade > 0.0 && !found->listed) {
            if (at == end)
                return rm_stop(RM_CHANGED, user, -1, 0.0);
            l->out->ahead[at] = RM_UNRANKED;
            l->out->tied[at] = 0;
            l->out->grade[at++] = cursor.value;
        }
        status = rm_cursor_next(&cursor, user, l->n_ids, RM_ITEM_RANGE);
    }
    if (status == RM_OK && at != end)
        return rm_stop(RM_CHANGED, user, -1, 0.0);
    if (at > first)
        qsort(l->out->grade + first, (size_t)(at - first), sizeof(double), descending);
    return status;
}

static rm_code rank_one(void *context, void *scratch, int64_t user)
{
    const lister *l = context;
    const rm_sparse *relevant = &l->input->relevant, *exclude = &l->input->exclude;
    int64_t n = rm_row_length(l->input, user), hits = 0;
    rm_code status;
    n += relevant->starts[user + 1] - relevant->starts[user];
    n += exclude->starts ? exclude->starts[user + 1] - exclude->starts[user] : 0;
    if (rm_row_length(l->input, user) >= RM_UNRANKED)
        return rm_stop(RM_TOO_MANY_CANDIDATES, user, -1, (double)n);
    if (!prepare(scratch, n, user))
        return rm_stop(RM_NO_MEMORY, -1, -1, 0.0);
    status = mark(l, scratch, user);
    if (status == RM_OK)
        status = walk(l, scratch, user, &hits);
    return status == RM_OK ? add_missed(l, scratch, user, hits) : status;
}

static int64_t n_listed(const rm_input *input)
{
    return input->offsets ? input->offsets[input->n_users] : input->n_users * input->n_items;
}

rm_status rm_count_relevant_lists(const rm_input *input, int64_t n_ids, const rm_run *run, int64_t *counts)
{
    lister l = {input, run->kernels, NULL, counts, n_ids};
    rm_loop loop = {.body = count_one, .context = &l, .n_users = input->n_users, .work = input->n_users};
    return rm_for_users(&loop, run);
}

rm_status rm_rank_lists(const rm_input *input, int64_t n_ids, const rm_run *run, const rm_entries *out)
{
    lister l = {input, run->kernels, out, NULL, n_ids};
    rm_loop loop = {.body = rank_one,
                    .context = &l,
                    .scratch_size = sizeof(list_scratch),
                    .release = release_scratch,
                    .n_users = input->n_users,
                    .work = n_listed(input)};
    return rm_for_users(&loop, run);
}
