/* Partial top-k of one row, compiled for each kernel type T. */

typedef struct {
    TYPE *score;
    int32_t *item;
    int64_t n, capacity;
    int full_once; /* then only scores above the bound matter: an equal one has a higher index */
    TYPE bound;
} FN(reservoir);

/* Better: a higher score, or the same score and a lower index. No two entries are equal. */
static inline int FN(better)(const FN(reservoir) *v, int64_t i, int64_t j)
{
    if (v->score[i] != v->score[j])
        return v->score[i] > v->score[j];
    return v->item[i] < v->item[j];
}

static inline void FN(swap)(FN(reservoir) *v, int64_t i, int64_t j)
{
    TYPE score = v->score[i];
    int32_t item = v->item[i];
    v->score[i] = v->score[j];
    v->item[i] = v->item[j];
    v->score[j] = score;
    v->item[j] = item;
}

#define SORT_NAME FN(sort_reservoir)
#define SORT_CONTEXT FN(reservoir)
#define BEFORE(c, i, j) FN(better)(c, i, j)
#define SWAP(c, i, j) FN(swap)(c, i, j)
#include "sort.h"

/* Leaves the k best in front, in any order. */
static void FN(keep_best)(FN(reservoir) *v, int64_t k)
{
    int64_t low = 0, high = v->n;
    int rounds = 128;
    while (high - low > 24 && rounds-- > 0) {
        int64_t cut = FN__(FN(sort_reservoir), partition)(v, low, high);
        if (cut == k || cut + 1 == k)
            break;
        if (cut < k)
            low = cut + 1;
        else
            high = cut;
    }
    if (high - low <= 24 || rounds <= 0)
        FN(sort_reservoir)(v, low, high);
    v->n = k;
}

static void FN(shrink)(FN(reservoir) *v, int64_t k)
{
    int64_t i;
    FN(keep_best)(v, k);
    v->bound = v->score[0];
    for (i = 1; i < k; i++)
        v->bound = v->score[i] < v->bound ? v->score[i] : v->bound;
    v->full_once = 1;
}

/* Offers a tile; its items are start, start + 1, …; excluded ones are passed over. */
static rm_code FN(offer)(const selector *c, FN(reservoir) *v, rm_cursor *exclude, const TYPE *x, int64_t n,
                     int64_t start, int64_t row)
{
    int64_t j;
    for (j = 0; j < n; j++) {
        if (v->full_once && (j = c->run->kernels->FN(next_above)(x, j, n, v->bound)) == n)
            break;
        if (x[j] != x[j])
            return rm_stop(RM_NAN_SCORE, row, start + j, 0.0);
        while (exclude->item < start + j) {
            rm_code status = rm_cursor_next(exclude, row, c->input->n_items, RM_EXCLUDE_RANGE);
            if (status != RM_OK)
                return status;
        }
        if (exclude->item == start + j)
            continue;
        v->score[v->n] = x[j];
        v->item[v->n++] = (int32_t)(start + j);
        if (v->n == v->capacity && v->n > c->k)
            FN(shrink)(v, c->k);
    }
    return RM_OK;
}

static rm_code FN(read_row)(const selector *c, topk_scratch *s,
                            FN(reservoir) *v, rm_cursor *exclude, int64_t row)
{
    const rm_array *scores = &c->input->scores;
    const char *from = rm_row(scores, NULL, row);
    int64_t n = c->input->n_items, start;
    for (start = 0; start < n; start += RM_TILE) {
        int64_t length = n - start < RM_TILE ? n - start : RM_TILE;
        const TYPE *x = (const TYPE *)from + start;
        rm_code status;
        if (!c->in_place) {
            FN(rm_load)(scores, from, start, length, (TYPE *)s->tile);
            x = (const TYPE *)s->tile;
        }
        status = FN(offer)(c, v, exclude, x, length, start, row);
        if (status != RM_OK)
            return status;
        if (start % RM_STOP_EVERY == 0 && start && rm_stopped())
            return rm_stop(RM_INTERRUPTED, -1, -1, 0.0);
    }
    while (exclude->item != INT64_MAX) { /* an id outside the matrix is an error wherever it stands */
        rm_code status = rm_cursor_next(exclude, row, n, RM_EXCLUDE_RANGE);
        if (status != RM_OK)
            return status;
    }
    return RM_OK;
}

/* Best first; at most k stay. */
static void FN(settle)(FN(reservoir) *v, int64_t k)
{
    if (v->n > k)
        FN(keep_best)(v, k);
    FN(sort_reservoir)(v, 0, v->n);
}

static int FN(open_reservoir)(FN(reservoir) *v, topk_scratch *s, int64_t k, int64_t n)
{
    v->capacity = k < n / 2 ? 2 * k + 32 : k + n;
    v->n = 0;
    v->full_once = 0;
    v->score = rm_reserve(&s->scores, v->capacity, sizeof *v->score);
    v->item = rm_reserve(&s->items, v->capacity, sizeof *v->item);
    return v->score && v->item;
}

static rm_code FN(select_row)(const selector *c, topk_scratch *s, int64_t row)
{
    int64_t i;
    FN(reservoir) v;
    rm_cursor exclude;
    rm_code status;
    if (!FN(open_reservoir)(&v, s, c->k, c->input->n_items))
        return rm_stop(RM_NO_MEMORY, -1, -1, 0.0);
    status = rm_cursor_start(&exclude, &c->input->exclude, row, c->input->n_items, RM_EXCLUDE_RANGE);
    if (status == RM_OK)
        status = FN(read_row)(c, s, &v, &exclude, row);
    if (status != RM_OK)
        return status;
    FN(settle)(&v, c->k);
    for (i = 0; i < c->k; i++)
        c->ids[row * c->k + i] = i < v.n ? v.item[i] : -1;
    return RM_OK;
}
