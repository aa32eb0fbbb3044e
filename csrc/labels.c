/* Which items of one user are relevant: from labels shaped like the scores, or from sparse rows. */
#include <math.h>

#include "internal.h"

#define LABEL_TILE 1024

typedef struct {
    const rm_kernels *kernels;
    rm_cursor exclude;
    int64_t user, n_items, count, capacity;
    int32_t *items;
    double *grades;
    int any_excluded;
} finder;

/* Items arrive in increasing order, so the excluded ones are passed once. */
static rm_code take(finder *f, int64_t item, double grade)
{
    while (f->exclude.item < item) {
        rm_code status = rm_cursor_next(&f->exclude, f->user, f->n_items, RM_EXCLUDE_RANGE);
        if (status != RM_OK)
            return status;
    }
    if (f->exclude.item == item)
        return RM_OK;
    if (f->count == f->capacity)
        return rm_stop(RM_CHANGED, f->user, item, grade);
    if (f->items)
        f->items[f->count] = (int32_t)item;
    if (f->grades)
        f->grades[f->count] = grade;
    f->count++;
    return RM_OK;
}

static rm_code find_sparse(finder *f, const rm_sparse *relevant)
{
    rm_cursor cursor;
    rm_code status = rm_cursor_start(&cursor, relevant, f->user, f->n_items, RM_ITEM_RANGE);
    while (status == RM_OK && cursor.item != INT64_MAX) {
        if (cursor.value > 0.0)
            status = take(f, cursor.item, cursor.value);
        if (status == RM_OK)
            status = rm_cursor_next(&cursor, f->user, f->n_items, RM_ITEM_RANGE);
    }
    return status;
}

/* ---- labels ---- */

static double byte_grade(int32_t type, char label)
{
    if (type == RM_BOOL)
        return label != 0;
    return type == RM_I8 ? (double)(signed char)label : (double)(unsigned char)label;
}

int rm_are_bytes(const rm_array *labels)
{
    int bytes = labels->type == RM_BOOL || labels->type == RM_I8 || labels->type == RM_U8;
    return labels->data && bytes && labels->stride == 1;
}

void rm_load_grades(const rm_array *labels, const char *row, const int32_t *items, int64_t n, double *grades)
{
    int64_t i;
    if (labels->type == RM_I8)
        for (i = 0; i < n; i++)
            grades[i] = byte_grade(RM_I8, row[items[i]]);
    else
        for (i = 0; i < n; i++)
            grades[i] = byte_grade(labels->type, row[items[i]]);
}

/* Without exclusion nothing is asked of an item but its place and grade. */
static rm_code find_all(finder *f, const rm_array *labels, const char *row, int64_t n)
{
    f->count = f->kernels->find_labels(row, n, labels->type == RM_I8, 0, f->items, f->capacity);
    if (f->count < 0)
        return rm_stop(RM_CHANGED, f->user, -1, 0.0);
    rm_load_grades(labels, row, f->items, f->count, f->grades);
    return RM_OK;
}

static rm_code find_bytes(finder *f, const char *row, int32_t type, int64_t n)
{
    int32_t items[LABEL_TILE];
    int64_t start, i;
    for (start = 0; start < n; start += LABEL_TILE) {
        int64_t length = n - start < LABEL_TILE ? n - start : LABEL_TILE;
        int64_t found =
            f->kernels->find_labels(row + start, length, type == RM_I8, (int32_t)start, items, LABEL_TILE);
        for (i = 0; i < found; i++) {
            rm_code status = take(f, items[i], byte_grade(type, row[items[i]]));
            if (status != RM_OK)
                return status;
        }
    }
    return RM_OK;
}

static rm_code find_values(finder *f, const rm_array *labels, const char *row, int64_t n)
{
    double tile[256];
    int64_t start, j;
    for (start = 0; start < n; start += 256) {
        int64_t length = n - start < 256 ? n - start : 256;
        int any_bad = 0;
        rm_load_f64(labels, row, start, length, tile);
        for (j = 0; j < length; j++)
            any_bad |= !(tile[j] - tile[j] == 0.0);
        for (j = 0; j < length; j++) {
            rm_code status;
            if (any_bad && !isfinite(tile[j]))
                return rm_stop(RM_BAD_LABEL, f->user, start + j, tile[j]);
            if (!(tile[j] > 0.0))
                continue;
            status = take(f, start + j, tile[j]);
            if (status != RM_OK)
                return status;
        }
    }
    return RM_OK;
}

static rm_code find_labels(finder *f, const rm_input *input, int64_t n)
{
    const rm_array *labels = &input->labels;
    const char *row = rm_row(labels, input->offsets, f->user);
    if (!rm_are_bytes(labels))
        return find_values(f, labels, row, n);
    if (!f->any_excluded && f->items && f->grades)
        return find_all(f, labels, row, n);
    if (f->any_excluded || f->items || f->grades)
        return find_bytes(f, row, labels->type, n);
    f->count = f->kernels->count_labels(row, n, labels->type == RM_I8);
    return RM_OK;
}

rm_code rm_find_relevant(const rm_input *input, const rm_kernels *kernels, int64_t user, int64_t n_items,
                         int32_t *items, double *grades, int64_t *count)
{
    finder f;
    rm_code status = RM_OK;
    f.kernels = kernels;
    f.user = user;
    f.n_items = n_items;
    f.items = items;
    f.grades = grades;
    f.count = 0;
    f.capacity = items || grades ? *count : INT64_MAX;
    f.any_excluded = input->exclude.starts != NULL;
    f.exclude.item = INT64_MAX;
    if (f.any_excluded)
        status = rm_cursor_start(&f.exclude, &input->exclude, user, n_items, RM_EXCLUDE_RANGE);
    if (status == RM_OK)
        status = input->labels.data ? find_labels(&f, input, n_items) : find_sparse(&f, &input->relevant);
    *count = f.count;
    return status;
}
