/* What the C files share: statuses, typed loads, scratch memory, the kernel table. */
#ifndef RANKMILL_INTERNAL_H
#define RANKMILL_INTERNAL_H

#include <string.h>

#include "columns.h"
#include "rankmill.h"

#define RM_UNRANKED INT32_MAX /* `ahead` of a relevant item that was no candidate */
#define RM_TILE 4096          /* candidates compared while they sit in the first-level cache */

/* Asks for memory that will be read soon; an address that is none does no harm. */
#ifdef __GNUC__
#define RM_PREFETCH(address) __builtin_prefetch(address)
#else
#define RM_PREFETCH(address) (void)(address)
#endif

/* ---- status ---- */

static inline rm_status rm_fail(rm_code code, int64_t row, int64_t column, double value)
{
    rm_status status = {code, row, column, value};
    return status;
}

static inline rm_status rm_ok(void) { return rm_fail(RM_OK, -1, -1, 0.0); }

/* Inside loops over users a failure is a bare code, which costs nothing to hand up where all goes well; where
 * and what is kept for the thread, and rm_for_users picks it up. */
rm_code rm_stop(rm_code code, int64_t row, int64_t column, double value);

/* ---- scratch memory: one buffer that only grows, per thread and use ---- */

typedef struct {
    void *data;
    size_t bytes;
} rm_buffer;

void *rm_grow(rm_buffer *buffer, size_t bytes);

/* NULL when memory is short; what the buffer held is lost if it grows. */
static inline void *rm_reserve(rm_buffer *buffer, int64_t count, size_t size)
{
    size_t bytes = (size_t)(count > 0 ? count : 1) * size;
    return bytes <= buffer->bytes ? buffer->data : rm_grow(buffer, bytes);
}

void rm_release(rm_buffer *buffer);

/* ---- the kernel table: exact comparisons only, so every instruction set gives the same counts ---- */

typedef float rm_f32;
typedef double rm_f64;
typedef int64_t rm_i64;

/* Adds, for each threshold t[i], sign * #(x > t[i]) to above[i] and sign * #(x >= t[i]) to at_least[i];
 * n <= RM_TILE. */
#define RM_COUNT(T, name)                                                                                    \
    void (*name##_##T)(const rm_##T *x, int64_t n, const rm_##T *t, int64_t p, int32_t sign, int32_t *above, \
                       int32_t *at_least)
/* Puts the r relevant items of a short row in order, into `sorted`, and in place of `items` how many
 * candidates stand above each; 0, and `items` as they were, where one ties with another candidate or there is
 * a NaN. */
#define RM_SPLIT(T) int (*split_##T)(const rm_##T *x, int64_t n, int32_t *items, int64_t r, int32_t *sorted)
/* Index of the first x at or after `from` that is greater than `bound`, or NaN; n when there is none. */
#define RM_NEXT_ABOVE(T) int64_t (*next_above_##T)(const rm_##T *x, int64_t from, int64_t n, rm_##T bound)

struct rm_kernels {
    const char *name;
    int64_t crossover; /* with more relevant items, a binary search per candidate beats counting */
    RM_COUNT(f32, count);
    RM_COUNT(f64, count);
    RM_COUNT(i64, count);
    int64_t split_least; /* from so many relevant items to the crossover, `split` beats `count` */
    RM_SPLIT(f32);
    RM_SPLIT(f64);
    RM_SPLIT(i64);
    RM_NEXT_ABOVE(f32);
    RM_NEXT_ABOVE(f64);
    RM_NEXT_ABOVE(i64);
    int (*has_nan_f32)(const float *x, int64_t n);
    int (*has_nan_f64)(const double *x, int64_t n);
    int (*has_nan_i64)(const int64_t *x, int64_t n); /* never: keeps the three types alike */
    /* The labels of one byte that are > 0: `first` plus the place of each, or -1 if there is no room; and how
     * many there are. */
    int64_t (*find_labels)(const char *labels, int64_t n, int is_signed, int32_t first, int32_t *items,
                           int64_t room);
    int64_t (*count_labels)(const char *labels, int64_t n, int is_signed);
    /* The ones among n random bits of a stream. */
    int64_t (*count_ones)(uint64_t *stream, int64_t n);
    /* Slot s of `subsets` = the sum of the n <= 8 users whose bit of s is set, for one group of metrics. */
    void (*fill_subsets)(const int64_t *users, int64_t n, int64_t *subsets);
    /* By groups - 1. Adds n slots chosen by the bytes of a stream, or given; and, to the sums of n resamples,
     * the slots that a byte of each one's word chooses. */
    void (*sum_draws[RM_MOST_GROUPS])(const int64_t *table, int64_t stride, uint64_t stream, int64_t n,
                                      int64_t *sums);
    void (*sum_slots[RM_MOST_GROUPS])(const int64_t *table, int64_t stride, const uint8_t *slots, int64_t n,
                                      int64_t *sums);
    void (*sum_subsets[RM_MOST_GROUPS])(const int64_t *table, const uint64_t *words, int shift, int64_t n,
                                        int64_t *sums);
    rm_column_kernels columns;
};

extern const rm_kernels rm_kernels_baseline;
#ifdef RM_HAVE_AVX2
extern const rm_kernels rm_kernels_avx2;
#endif

/* ---- typed loads (load.c) ---- */

typedef enum { RM_KERNEL_F32, RM_KERNEL_F64, RM_KERNEL_I64 } rm_kernel_type;

/* The type in which scores of an array type are compared; every value is exact in it. */
rm_kernel_type rm_kernel_type_of(int32_t type);
/* Calls function_f32, function_f64 or function_i64, whichever is for the type. */
#define FOR_KERNEL_TYPE(function, type, ...)                 \
    ((type) == RM_KERNEL_F32   ? function##_f32(__VA_ARGS__) \
     : (type) == RM_KERNEL_F64 ? function##_f64(__VA_ARGS__) \
                               : function##_i64(__VA_ARGS__))
/* n elements of a row from `start`, converted. uint64 arrives in int64 with its order kept. */
void rm_load_f32(const rm_array *array, const char *row, int64_t start, int64_t n, float *out);
void rm_load_f64(const rm_array *array, const char *row, int64_t start, int64_t n, double *out);
void rm_load_i64(const rm_array *array, const char *row, int64_t start, int64_t n, int64_t *out);
/* An element of an array of integers; uint64 as above. */
static inline int64_t rm_integer(const rm_array *array, int64_t at)
{
    int64_t value;
    if (array->type == RM_I64 && !array->swapped)
        memcpy(&value, array->data + at * array->stride, sizeof value);
    else
        rm_load_i64(array, array->data, at, 1, &value);
    return value;
}

/* 1 if every row can be read where it lies, as a C array of its kernel type. */
int rm_scores_in_place(const rm_array *scores);

static inline const char *rm_row(const rm_array *array, const int64_t *offsets, int64_t user)
{
    return array->data + (offsets ? offsets[user] * array->stride : user * array->row_stride);
}

static inline int64_t rm_row_length(const rm_input *input, int64_t user)
{
    return input->offsets ? input->offsets[user + 1] - input->offsets[user] : input->n_items;
}

static inline int64_t rm_n_rows(const rm_input *input)
{
    return input->offsets ? input->offsets[input->n_users] : input->n_users * input->n_items;
}

/* The entries from `base` on. */
static inline rm_entries rm_slice(const rm_entries *entries, int64_t base)
{
    rm_entries slice = {NULL, entries->ahead + base, entries->tied + base, NULL, entries->grade + base, NULL};
    if (entries->position)
        slice.position = entries->position + base;
    return slice;
}

/* ---- one sparse row, read in order (sparse.c) ---- */

typedef struct {
    const rm_sparse *sparse;
    int64_t at, end; /* the next stored item */
    int64_t item;    /* the current one; INT64_MAX when done */
    double value;
} rm_cursor;

/* Moves to the next stored item whose value is not zero. Fails on a row that does not increase. */
rm_code rm_cursor_start(rm_cursor *cursor, const rm_sparse *sparse, int64_t user, int64_t n_items,
                        rm_code range);
rm_code rm_cursor_next(rm_cursor *cursor, int64_t user, int64_t n_items, rm_code range);

/* Starts at the first stored item from `from` on. */
rm_code rm_cursor_seek(rm_cursor *cursor, const rm_sparse *sparse, int64_t user, int64_t from,
                       int64_t n_items);

/* The next excluded items before `end`, *n of them: as many as there are, up to RM_TAKEN. */
#define RM_TAKEN 256
rm_code rm_cursor_take(rm_cursor *cursor, int64_t user, int64_t n_items, int64_t end, int32_t *items,
                       int64_t *n);

/* ---- labels (labels.c) ---- */

/* The relevant items of one user, in order; *count holds the room for them, then their number.
 * items and grades NULL: only counted. */
rm_code rm_find_relevant(const rm_input *input, const rm_kernels *kernels, int64_t user, int64_t n_items,
                         int32_t *items, double *grades, int64_t *count);
/* Labels of one byte, side by side; and the grades of some of them. */
int rm_are_bytes(const rm_array *labels);
void rm_load_grades(const rm_array *labels, const char *row, const int32_t *items, int64_t n, double *grades);

/* ---- flat rows ---- */

/* Whether the sorted items hold a code (match.c). */
int rm_holds(const int64_t *items, int64_t n, int64_t code);
/* users[i] = the group of row first + i, for n <= 256 rows that were all read; 0 if one was not (group.c). */
int rm_groups_find(const rm_groups *groups, int64_t first, int64_t n, int32_t *users);

/* ---- loops over users (run.c) ---- */

typedef rm_code (*rm_body)(void *context, void *scratch, int64_t user);

typedef struct {
    rm_body body;
    void *context;
    size_t scratch_size; /* zeroed, one per thread; the body may grow buffers in it */
    void (*release)(void *scratch);
    int64_t n_users;
    int64_t work;                                    /* elements the loop reads in all: sizes the blocks */
    rm_code (*finish)(void *context, void *scratch); /* NULL, or what ends a block, also one that failed */
} rm_loop;

/* Runs the body for every user; on failure the status of the first failing row, for any thread count. */
rm_status rm_for_users(const rm_loop *loop, const rm_run *run);

/* Asked now and then by work that takes long for one user: 1 when the loop is to stop, and what has been done
 * so far does not matter. Costs a look at the clock. */
int rm_stopped(void);

#define RM_STOP_EVERY (1 << 16) /* elements between two questions */

/* ---- threads (threads.c) ---- */

int rm_usable_threads(int wanted); /* 1 in a child forked after threads were used */
int rm_thread_id(void);
int rm_team_size(void);

#endif
