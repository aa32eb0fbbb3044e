/* One row of a sparse matrix, item by item, with every index checked. */
#include <math.h>

#include "internal.h"

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

rm_code rm_cursor_next(rm_cursor *cursor, int64_t user, int64_t n_items, rm_code range)
{
    const rm_sparse *sparse = cursor->sparse;
    int64_t before = cursor->item;
    while (cursor->at < cursor->end) {
        int64_t item = load_item(&sparse->items, cursor->at);
        double value = 1.0;
        if (sparse->values.data)
            rm_load_f64(&sparse->values, sparse->values.data, cursor->at, 1, &value);
        if (item < 0 || item >= n_items)
            return rm_stop(range, user, item, 0.0);
        if (item <= before)
            return rm_stop(RM_UNSORTED, user, item, 0.0);
        if (!isfinite(value))
            return rm_stop(range == RM_EXCLUDE_RANGE ? RM_BAD_EXCLUDE : RM_BAD_LABEL, user, item, value);
        cursor->at++;
        before = item;
        if (value != 0.0) {
            cursor->item = item;
            cursor->value = value;
            return RM_OK;
        }
    }
    cursor->item = INT64_MAX;
    return RM_OK;
}

rm_code rm_cursor_start(rm_cursor *cursor, const rm_sparse *sparse, int64_t user, int64_t n_items,
                        rm_code range)
{
    cursor->sparse = sparse;
    cursor->at = sparse->starts ? sparse->starts[user] : 0;
    cursor->end = sparse->starts ? sparse->starts[user + 1] : 0;
    cursor->item = -1;
    cursor->value = 0.0;
    return rm_cursor_next(cursor, user, n_items, range);
}

rm_code rm_cursor_seek(rm_cursor *cursor, const rm_sparse *sparse, int64_t user, int64_t from,
                       int64_t n_items)
{
    int64_t low = sparse->starts ? sparse->starts[user] : 0,
            high = sparse->starts ? sparse->starts[user + 1] : 0;
    cursor->sparse = sparse;
    cursor->end = high;
    while (low < high) {
        int64_t middle = low + (high - low) / 2;
        if (load_item(&sparse->items, middle) < from)
            low = middle + 1;
        else
            high = middle;
    }
    cursor->at = low;
    cursor->item = from - 1;
    cursor->value = 0.0;
    return rm_cursor_next(cursor, user, n_items, RM_EXCLUDE_RANGE);
}

rm_code rm_cursor_take(rm_cursor *cursor, int64_t user, int64_t n_items, int64_t end, int32_t *items,
                       int64_t *n)
{
    rm_code status = RM_OK;
    for (*n = 0; *n < RM_TAKEN && cursor->item < end && status == RM_OK; ++*n) {
        items[*n] = (int32_t)cursor->item;
        status = rm_cursor_next(cursor, user, n_items, RM_EXCLUDE_RANGE);
    }
    return status;
}
