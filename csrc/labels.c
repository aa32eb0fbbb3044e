/* Which items of one user are relevant: from labels shaped like the scores, or from sparse rows. */
#include <math.h>
#ifdef __SSE2__
#include <emmintrin.h>
#endif

#include "internal.h"

typedef struct {
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

/* ---- labels: 64 at a time, as a mask of the relevant ones ---- */

static inline int is_relevant(char label, int is_signed)
{
    return is_signed ? (signed char)label > 0 : label != 0;
}

#ifdef __SSE2__
/* Compilers make no bit mask of a loop; every x86-64 has the instruction for it. */
static inline __m128i sixteen(const char *labels, int is_signed)
{
    __m128i x = _mm_loadu_si128((const __m128i *)labels), zero = _mm_setzero_si128();
    return is_signed ? _mm_cmpgt_epi8(x, zero) : _mm_xor_si128(_mm_cmpeq_epi8(x, zero), _mm_set1_epi8(-1));
}

/* The last places of a row are read together with some before them, never beyond the row. */
static inline uint64_t byte_mask(const char *row, int is_signed, int64_t start, int64_t n)
{
    uint64_t mask = 0;
    int64_t j = start, end = start + 64 < n ? start + 64 : n;
    for (; j + 16 <= end; j += 16)
        mask |= (uint64_t)_mm_movemask_epi8(sixteen(row + j, is_signed)) << (j - start);
    if (j < end && end >= 16)
        return mask | (uint64_t)(_mm_movemask_epi8(sixteen(row + end - 16, is_signed)) >> (16 - (end - j)))
                          << (j - start);
    for (; j < end; j++)
        mask |= (uint64_t)is_relevant(row[j], is_signed) << (j - start);
    return mask;
}

static inline int64_t count_row(const char *row, int is_signed, int64_t n)
{
    __m128i total = _mm_setzero_si128();
    int64_t j = 0, count;
    while (j + 16 <= n) {
        int64_t end = j + 255 * 16 < n ? j + 255 * 16 : n;
        __m128i sums = _mm_setzero_si128();
        for (; j + 16 <= end; j += 16)
            sums = _mm_sub_epi8(sums, sixteen(row + j, is_signed));
        total = _mm_add_epi64(total, _mm_sad_epu8(sums, _mm_setzero_si128()));
    }
    count = _mm_cvtsi128_si64(total) + _mm_cvtsi128_si64(_mm_unpackhi_epi64(total, total));
    for (; j < n; j++)
        count += is_relevant(row[j], is_signed);
    return count;
}
#else
static inline uint64_t byte_mask(const char *row, int is_signed, int64_t start, int64_t n)
{
    uint64_t mask = 0;
    int64_t j;
    for (j = start; j < n && j < start + 64; j++)
        mask |= (uint64_t)is_relevant(row[j], is_signed) << (j - start);
    return mask;
}

static inline int64_t count_row(const char *row, int is_signed, int64_t n)
{
    int64_t count = 0, j;
    for (j = 0; j < n; j++)
        count += is_relevant(row[j], is_signed);
    return count;
}
#endif

static double byte_grade(int32_t type, char label)
{
    if (type == RM_BOOL)
        return label != 0;
    return type == RM_I8 ? (double)(signed char)label : (double)(unsigned char)label;
}

static int lowest_bit(uint64_t mask)
{
#if defined(__GNUC__)
    return __builtin_ctzll(mask);
#else
    int place = 0;
    while (!(mask >> place & 1))
        place++;
    return place;
#endif
}

/* Without exclusion nothing is asked of an item but its place and grade. */
static inline rm_code find_signed(finder *f, const char *row, int is_signed, int32_t type, int64_t n)
{
    int64_t start, count = f->count;
    int32_t *items = f->items;
    double *grades = f->grades;
    for (start = 0; start < n; start += 64) {
        uint64_t mask = byte_mask(row, is_signed, start, n);
        for (; mask; mask &= mask - 1) {
            int64_t item = start + lowest_bit(mask);
            if (count == f->capacity)
                return rm_stop(RM_CHANGED, f->user, item, 0.0);
            items[count] = (int32_t)item;
            grades[count++] = byte_grade(type, row[item]);
        }
    }
    f->count = count;
    return RM_OK;
}

static inline rm_code take_signed(finder *f, const char *row, int is_signed, int32_t type, int64_t n)
{
    int64_t start;
    for (start = 0; start < n; start += 64) {
        uint64_t mask = byte_mask(row, is_signed, start, n);
        for (; mask; mask &= mask - 1) {
            int64_t item = start + lowest_bit(mask);
            rm_code status = take(f, item, byte_grade(type, row[item]));
            if (status != RM_OK)
                return status;
        }
    }
    return RM_OK;
}

/* The sign is a constant in each copy of the loops. */
static rm_code find_bytes(finder *f, const char *row, int32_t type, int64_t n)
{
    if (f->any_excluded)
        return type == RM_I8 ? take_signed(f, row, 1, type, n) : take_signed(f, row, 0, type, n);
    return type == RM_I8 ? find_signed(f, row, 1, type, n) : find_signed(f, row, 0, type, n);
}

static int64_t count_bytes(const char *row, int32_t type, int64_t n)
{
    return type == RM_I8 ? count_row(row, 1, n) : count_row(row, 0, n);
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
    int bytes = labels->type == RM_BOOL || labels->type == RM_I8 || labels->type == RM_U8;
    if (!bytes || labels->stride != 1)
        return find_values(f, labels, row, n);
    if (f->any_excluded || (f->items && f->grades))
        return find_bytes(f, row, labels->type, n);
    if (f->items)
        return find_values(f, labels, row, n);
    f->count = count_bytes(row, labels->type, n);
    return RM_OK;
}

rm_code rm_find_relevant(const rm_input *input, int64_t user, int64_t n_items, int32_t *items, double *grades,
                         int64_t *count)
{
    finder f;
    rm_code status = RM_OK;
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
