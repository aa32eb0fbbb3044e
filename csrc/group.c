/* Ids of any fixed width -> users in order of first appearance; rows of one user brought together. */
#include <stdlib.h>

#include "internal.h"

#define POLL_ROWS (1 << 22)

struct rm_groups {
    int64_t *first; /* first row of each group */
    int64_t n, capacity;
    int32_t *table; /* group + 1; 0: free */
    int64_t mask;
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
const int64_t *rm_groups_first(const rm_groups *groups) { return groups->first; }

static uint64_t hash(const char *key, int64_t width)
{
    uint64_t h = 0x9e3779b97f4a7c15u, word;
    for (; width >= 8; width -= 8, key += 8) {
        memcpy(&word, key, 8);
        h = (h ^ word) * 0xff51afd7ed558ccdu;
        h ^= h >> 32;
    }
    for (; width > 0; width--, key++)
        h = (h ^ (unsigned char)*key) * 0x100000001b3u;
    h *= 0xc4ceb9fe1a85ec53u;
    return h ^ h >> 29;
}

/* Where the id of `row` is, or the free place where it belongs. */
static int64_t locate(const rm_groups *g, const char *keys, int64_t width, int64_t row)
{
    const char *key = keys + row * width;
    int64_t at = (int64_t)(hash(key, width) & (uint64_t)g->mask);
    while (g->table[at] && memcmp(keys + g->first[g->table[at] - 1] * width, key, (size_t)width))
        at = (at + 1) & g->mask;
    return at;
}

static int grow_table(rm_groups *g, const char *keys, int64_t width)
{
    int64_t size = g->mask ? 2 * (g->mask + 1) : 1024, i;
    free(g->table);
    g->table = calloc((size_t)size, sizeof *g->table);
    g->mask = size - 1;
    if (!g->table)
        return 0;
    for (i = 0; i < g->n; i++)
        g->table[locate(g, keys, width, g->first[i])] = (int32_t)(i + 1);
    return 1;
}

static int append(rm_groups *g, int64_t row)
{
    if (g->n == g->capacity) {
        int64_t capacity = g->capacity ? g->capacity + g->capacity / 2 : 1024;
        int64_t *first = realloc(g->first, (size_t)capacity * sizeof *first);
        if (!first)
            return 0;
        g->first = first;
        g->capacity = capacity;
    }
    g->first[g->n++] = row;
    return 1;
}

rm_status rm_groups_read(rm_groups *g, const char *keys, int64_t width, int64_t n, const rm_run *run,
                         int32_t *codes)
{
    int32_t code = -1;
    int64_t row;
    for (row = 0; row < n; row++) {
        int64_t at;
        if (row % POLL_ROWS == 0 && row && run->interrupted && run->interrupted())
            return rm_fail(RM_INTERRUPTED, -1, -1, 0.0);
        if (row && !memcmp(keys + row * width, keys + (row - 1) * width, (size_t)width)) {
            if (codes)
                codes[row] = code;
            continue;
        }
        if (2 * (g->n + 1) > g->mask && !grow_table(g, keys, width))
            return rm_fail(RM_NO_MEMORY, -1, -1, 0.0);
        at = locate(g, keys, width, row);
        if (!g->table[at]) {
            if (g->n == INT32_MAX - 1)
                return rm_fail(RM_TOO_MANY_USERS, row, -1, (double)g->n);
            if (!append(g, row))
                return rm_fail(RM_NO_MEMORY, -1, -1, 0.0);
            g->table[at] = (int32_t)g->n;
        } else if (!codes) {
            return rm_fail(RM_NOT_GROUPED, row, -1, 0.0);
        }
        code = g->table[at] - 1;
        if (codes)
            codes[row] = code;
    }
    return rm_ok();
}

void rm_count_codes(const int32_t *codes, int64_t n, int64_t n_groups, int64_t *offsets)
{
    int64_t i;
    memset(offsets, 0, (size_t)(n_groups + 1) * sizeof *offsets);
    for (i = 0; i < n; i++)
        offsets[codes[i] + 1]++;
    for (i = 0; i < n_groups; i++)
        offsets[i + 1] += offsets[i];
}

#define SCATTER(BITS)                                                                        \
    case BITS / 8:                                                                           \
        for (i = 0; i < n; i++)                                                              \
            memcpy(target + (BITS / 8) * cursor[codes[i]]++, source + i * stride, BITS / 8); \
        return;

void rm_scatter(const int32_t *codes, int64_t n, const char *source, int64_t stride, int64_t width,
                int64_t *cursor, char *target)
{
    int64_t i;
    switch (width) {
        SCATTER(8)
        SCATTER(16)
        SCATTER(32)
        SCATTER(64)
    default:
        for (i = 0; i < n; i++)
            memcpy(target + width * cursor[codes[i]]++, source + i * stride, (size_t)width);
    }
}
