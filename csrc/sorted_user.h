/* One user's relevant items, sorted by score descending, and the search among them, for the kernel type T. */

typedef struct {
    TYPE *score;
    double *grade; /* NULL if lean */
    int32_t *item; /* NULL where no one asks which item an entry is */
    int64_t n;
    int settled; /* an order settles ties: by keys, larger first, or as they came */
    int lean;    /* scores stand where the grades will, to take no more memory than is allowed */
    rm_array keys;
} FN(user);

/* Whether candidate a stands before candidate b of the same score. */
static inline int FN(leads)(const FN(user) *u, int32_t a, int32_t b)
{
    int64_t key_a = 0, key_b = 0;
    if (u->keys.data) {
        key_a = rm_integer(&u->keys, a);
        key_b = rm_integer(&u->keys, b);
    }
    return key_a != key_b ? key_a > key_b : a < b;
}

static inline int FN(entry_before)(const FN(user) *u, int64_t i, int64_t j)
{
    if (u->score[i] != u->score[j])
        return u->score[i] > u->score[j];
    if (u->settled)
        return FN(leads)(u, u->item[i], u->item[j]);
    return u->grade && u->grade[i] > u->grade[j];
}

static inline void FN(entry_swap)(FN(user) *u, int64_t i, int64_t j)
{
    TYPE score = u->score[i];
    u->score[i] = u->score[j];
    u->score[j] = score;
    if (u->grade) {
        double grade = u->grade[i];
        u->grade[i] = u->grade[j];
        u->grade[j] = grade;
    }
    if (u->item) {
        int32_t item = u->item[i];
        u->item[i] = u->item[j];
        u->item[j] = item;
    }
}

#define SORT_NAME FN(sort_scores)
#define SORT_CONTEXT FN(user)
#define BEFORE(c, i, j) FN(entry_before)(c, i, j)
#define SWAP(c, i, j) FN(entry_swap)(c, i, j)
#include "sort.h"

/* The first entry whose score is not above v. */
static inline int64_t FN(bucket)(const TYPE *score, int64_t n, TYPE v)
{
    int64_t low = 0;
    while (n > 1) {
        int64_t half = n / 2;
        low += score[low + half - 1] > v ? half : 0;
        n -= half;
    }
    return low + (n == 1 && score[low] > v);
}
