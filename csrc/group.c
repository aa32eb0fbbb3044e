/* Ids of any fixed width -> users in order of first appearance. */
#include <stdlib.h>

#include "hash.h"
#include "internal.h"

#define POLL_ROWS (1 << 22)
#define FOUND 256 /* rows looked up together */

#define ROW_BITS 40 /* of `first`; the rest holds a mark, bits of the id's hash */

struct rm_groups {
    const char *ids; /* of the rows read */
    int64_t width, stride;
    uint64_t *first; /* first row of each group, and its mark */
    int64_t n, capacity;
    int32_t *table; /* group + 1; 0: free */
    int64_t mask;
    int ambiguous; /* two ids that are searched for in the same places have the same mark */
};

rm_groups *rm_groups_new(void) { return calloc(1, sizeof(rm_groups)); }

void rm_groups_free(rm_groups *groups)
{
    if (groups) {
        free(groups->first);
        free(groups->table);
    }
    free(groups);
}

int64_t rm_groups_count(const rm_groups *groups) { return groups->n; }

static int64_t first_row(const rm_groups *g, int64_t group)
{
    return (int64_t)(g->first[group] & (((uint64_t)1 << ROW_BITS) - 1));
}

void rm_groups_first(const rm_groups *groups, int64_t *rows)
{
    int64_t i;
    for (i = 0; i < groups->n; i++)
        rows[i] = first_row(groups, i);
}

static const char *id_of(const rm_groups *g, int64_t row) { return g->ids + row * g->stride; }

static int same_id(const rm_groups *g, int64_t a, int64_t b)
{
    uint64_t x, y;
    if (g->width != 8)
        return !memcmp(id_of(g, a), id_of(g, b), (size_t)g->width);
    memcpy(&x, id_of(g, a), 8);
    memcpy(&y, id_of(g, b), 8);
    return x == y;
}

static int same_mark(uint64_t first, uint64_t h) { return first >> ROW_BITS == h >> ROW_BITS; }

/* Where the id of `row` is, or the free place where it belongs. Who has its mark is looked at, and nearly
 * always is it. */
static int64_t locate(rm_groups *g, int64_t row, uint64_t h)
{
    int64_t at = (int64_t)(h & (uint64_t)g->mask);
    for (; g->table[at]; at = (at + 1) & g->mask) {
        if (!same_mark(g->first[g->table[at] - 1], h))
            continue;
        if (same_id(g, first_row(g, g->table[at] - 1), row))
            return at;
        g->ambiguous = 1;
    }
    return at;
}

/* The same for an id that was read: every other on its way was met when it was put in, so unless some mark is
 * ambiguous the mark will do, and no id need be fetched. */
static int32_t find(const rm_groups *g, int64_t row, uint64_t h)
{
    int64_t at = (int64_t)(h & (uint64_t)g->mask);
    for (; g->table[at]; at = (at + 1) & g->mask)
        if (same_mark(g->first[g->table[at] - 1], h) &&
            (!g->ambiguous || same_id(g, first_row(g, g->table[at] - 1), row)))
            break;
    return g->table[at] - 1;
}

static int grow_table(rm_groups *g)
{
    int64_t size = g->mask ? 2 * (g->mask + 1) : 1024, i;
    free(g->table);
    g->table = calloc((size_t)size, sizeof *g->table);
    g->mask = size - 1;
    if (!g->table)
        return 0;
    for (i = 0; i < g->n; i++) {
        int64_t row = first_row(g, i);
        g->table[locate(g, row, rm_hash(id_of(g, row), g->width))] = (int32_t)(i + 1);
    }
    return 1;
}

static int append(rm_groups *g, int64_t row, uint64_t h)
{
    if (g->n == g->capacity) {
        int64_t capacity = g->capacity ? g->capacity + g->capacity / 2 : 1024;
        uint64_t *first = realloc(g->first, (size_t)capacity * sizeof *first);
        if (!first)
            return 0;
        g->first = first;
        g->capacity = capacity;
    }
    g->first[g->n++] = (uint64_t)row | h >> ROW_BITS << ROW_BITS;
    return 1;
}

/* One row of rm_groups_read. */
static rm_code read_row(rm_groups *g, int64_t row, uint64_t h, int together)
{
    int64_t at;
    if (row && same_id(g, row, row - 1))
        return RM_OK;
    if (2 * (g->n + 1) > g->mask && !grow_table(g))
        return RM_NO_MEMORY;
    at = locate(g, row, h);
    if (g->table[at])
        return together ? RM_NOT_GROUPED : RM_OK;
    if (g->n == INT32_MAX - 1)
        return RM_TOO_MANY_USERS;
    if (!append(g, row, h))
        return RM_NO_MEMORY;
    g->table[at] = (int32_t)g->n;
    return RM_OK;
}

/* Loads that follow one another for each row are likely to miss every cache: all rows take the first before
 * any takes the second. */
static void look_up(const rm_groups *g, int64_t first, int64_t n, uint64_t *hashes)
{
    int64_t i;
    for (i = 0; i < n; i++) {
        hashes[i] = rm_hash(id_of(g, first + i), g->width);
        if (g->table)
            RM_PREFETCH(&g->table[hashes[i] & (uint64_t)g->mask]);
    }
    for (i = 0; i < n && g->table; i++) {
        int32_t group = g->table[hashes[i] & (uint64_t)g->mask];
        if (group)
            RM_PREFETCH(&g->first[group - 1]);
    }
}

static int interrupted(const rm_run *run, int64_t row)
{
    return row > 0 && row % POLL_ROWS == 0 && run->interrupted && run->interrupted();
}

rm_status rm_groups_read(rm_groups *g, const char *ids, int64_t width, int64_t stride, int64_t n,
                         int together, const rm_run *run)
{
    uint64_t hashes[FOUND];
    int64_t start, i;
    g->ids = ids;
    g->width = width;
    g->stride = stride;
    for (start = 0; start < n; start += FOUND) {
        int64_t length = n - start < FOUND ? n - start : FOUND;
        if (interrupted(run, start))
            return rm_fail(RM_INTERRUPTED, -1, -1, 0.0);
        look_up(g, start, length, hashes);
        for (i = 0; i < length; i++) {
            rm_code code = read_row(g, start + i, hashes[i], together);
            if (code != RM_OK)
                return rm_fail(code, start + i, -1, (double)g->n);
        }
    }
    return rm_ok();
}

int rm_groups_find(const rm_groups *g, int64_t first, int64_t n, int32_t *users)
{
    uint64_t hashes[FOUND];
    int64_t i;
    look_up(g, first, n, hashes);
    for (i = 0; i < n; i++) {
        users[i] = find(g, first + i, hashes[i]);
        if (users[i] < 0)
            return 0;
    }
    return 1;
}

/* Advances the cursor of each row's user; `rows`, if any, holds what the cursors point at. */
static rm_status advance(const rm_groups *g, int64_t n, const rm_run *run, int64_t *cursors, int64_t *rows)
{
    int32_t users[FOUND];
    int64_t start, i;
    for (start = 0; start < n; start += FOUND) {
        int64_t length = n - start < FOUND ? n - start : FOUND;
        if (interrupted(run, start))
            return rm_fail(RM_INTERRUPTED, -1, -1, 0.0);
        if (!rm_groups_find(g, start, length, users))
            return rm_fail(RM_CHANGED, start, -1, 0.0);
        for (i = 0; i < length; i++) {
            int64_t at = cursors[users[i]]++;
            if (at >= n)
                return rm_fail(RM_CHANGED, start + i, -1, 0.0);
            if (rows)
                rows[at] = start + i;
        }
    }
    return rm_ok();
}

/* With counts one place up, the cursors of the second pass end where the next user starts. */
rm_status rm_groups_order(const rm_groups *g, int64_t n, const rm_run *run, int64_t *offsets, int64_t *rows)
{
    rm_status status;
    int64_t u;
    memset(offsets, 0, (size_t)(g->n + 1) * sizeof *offsets);
    status = advance(g, n, run, offsets + 1, NULL);
    for (u = 0; u < g->n; u++)
        offsets[u + 1] += offsets[u];
    if (status.code == RM_OK)
        status = advance(g, n, run, offsets, rows);
    for (u = g->n; u > 0; u--)
        offsets[u] = offsets[u - 1];
    offsets[0] = 0;
    return status;
}

void rm_groups_forget(rm_groups *g)
{
    free(g->table);
    g->table = NULL;
    g->mask = 0;
}
