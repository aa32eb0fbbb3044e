/* Which items of one user are relevant: from labels shaped like the scores, or from sparse rows. */
#include <math.h>

#include "internal.h"

/* ---- sparse rows ---- */

static int64_t load_item(const rm_array *items, int64_t at)
{
    int64_t item;
    if (items->type == RM_U64) { /* beyond int64: no item of any matrix */
        uint64_t wide;
        rm_load_i64(items, items->data, at, 1, &item);
        wide = (uint64_t)item ^ 0x8000000000000000u;
        return wide > INT64_MAX ? -1 : (int64_t)wide;
    }
    rm_load_i64(items, items->data, at, 1, &item);
    return item;
}

rm_status rm_cursor_next(rm_cursor *cursor, int64_t user, int64_t n_items, rm_code range)
{
    const rm_sparse *sparse = cursor->sparse;
    int64_t before = cursor->item;
    while (cursor->at < cursor->end) {
        int64_t item = load_item(&sparse->items, cursor->at);
        double value = 1.0;
        if (sparse->values.data)
            rm_load_f64(&sparse->values, sparse->values.data, cursor->at, 1, &value);
        if (item < 0 || item >= n_items)
            return rm_fail(range, user, item, 0.0);
        if (item <= before)
            return rm_fail(RM_UNSORTED, user, item, 0.0);
        if (!isfinite(value))
            return rm_fail(RM_BAD_LABEL, user, item, value);
        cursor->at++;
        before = item;
        if (value != 0.0) {
            cursor->item = item;
            cursor->value = value;
            return rm_ok();
        }
    }
    cursor->item = INT64_MAX;
    return rm_ok();
}

rm_status rm_cursor_start(rm_cursor *cursor, const rm_sparse *sparse, int64_t user, int64_t n_items, rm_code range)
{
    cursor->sparse = sparse;
    cursor->at = sparse->starts ? sparse->starts[user] : 0;
    cursor->end = sparse->starts ? sparse->starts[user + 1] : 0;
    cursor->item = -1;
    cursor->value = 0.0;
    return rm_cursor_next(cursor, user, n_items, range);
}

/* ---- one user ---- */

typedef struct {
    rm_cursor exclude;
    int64_t user, n_items, count, capacity;
    int32_t *items;
    double *grades;
} finder;

/* Items arrive in increasing order, so the excluded ones are passed once. */
static rm_status take(finder *f, int64_t item, double grade)
{
    while (f->exclude.item < item) {
        rm_status status = rm_cursor_next(&f->exclude, f->user, f->n_items, RM_EXCLUDE_RANGE);
        if (status.code != RM_OK)
            return status;
    }
    if (f->exclude.item == item)
        return rm_ok();
    if (f->count == f->capacity)
        return rm_fail(RM_CHANGED, f->user, item, grade);
    if (f->items)
        f->items[f->count] = (int32_t)item;
    if (f->grades)
        f->grades[f->count] = grade;
    f->count++;
    return rm_ok();
}

static rm_status find_sparse(finder *f, const rm_sparse *relevant)
{
    rm_cursor cursor;
    rm_status status = rm_cursor_start(&cursor, relevant, f->user, f->n_items, RM_ITEM_RANGE);
    while (status.code == RM_OK && cursor.item != INT64_MAX) {
        if (cursor.value > 0.0)
            status = take(f, cursor.item, cursor.value);
        if (status.code == RM_OK)
            status = rm_cursor_next(&cursor, f->user, f->n_items, RM_ITEM_RANGE);
    }
    return status;
}

/* One-byte labels in a row, the common case: eight at a time, most of them zero. */
static rm_status find_bytes(finder *f, const signed char *labels, int is_signed, int is_bool, int64_t n)
{
    int64_t j = 0;
    while (j < n) {
        uint64_t word;
        if (j + 8 <= n && (memcpy(&word, labels + j, 8), word == 0)) {
            j += 8;
            continue;
        }
        if (is_signed ? labels[j] > 0 : labels[j] != 0) {
            rm_status status = take(f, j, is_bool ? 1.0 : is_signed ? labels[j] : (unsigned char)labels[j]);
            if (status.code != RM_OK)
                return status;
        }
        j++;
    }
    return rm_ok();
}

static rm_status find_values(finder *f, const rm_array *labels, const char *row, int64_t n)
{
    double tile[256];
    int64_t start, j;
    for (start = 0; start < n; start += 256) {
        int64_t length = n - start < 256 ? n - start : 256;
        rm_load_f64(labels, row, start, length, tile);
        for (j = 0; j < length; j++) {
            rm_status status;
            if (!isfinite(tile[j]))
                return rm_fail(RM_BAD_LABEL, f->user, start + j, tile[j]);
            if (!(tile[j] > 0.0))
                continue;
            status = take(f, start + j, tile[j]);
            if (status.code != RM_OK)
                return status;
        }
    }
    return rm_ok();
}

rm_status rm_find_relevant(const rm_input *input, int64_t user, int64_t n_items, int32_t *items, double *grades,
                           int64_t *count)
{
    const rm_array *labels = &input->labels;
    finder f = {.user = user, .n_items = n_items, .items = items, .grades = grades};
    f.capacity = items || grades ? *count : INT64_MAX;
    rm_status status = rm_cursor_start(&f.exclude, &input->exclude, user, n_items, RM_EXCLUDE_RANGE);
    if (status.code != RM_OK)
        return status;
    if (!labels->data) {
        status = find_sparse(&f, &input->relevant);
    } else {
        const char *row = rm_row(labels, input->offsets, user);
        int bytes = labels->type == RM_BOOL || labels->type == RM_I8 || labels->type == RM_U8;
        if (bytes && labels->stride == 1)
            status = find_bytes(&f, (const signed char *)row, labels->type == RM_I8, labels->type == RM_BOOL, n_items);
        else
            status = find_values(&f, labels, row, n_items);
    }
    *count = f.count;
    return status;
}
