/* An in-place introsort over parallel arrays, so that sorting one huge user needs no second copy of it.
 * The including file defines SORT_NAME, SORT_CONTEXT (a type), BEFORE(c, i, j) and SWAP(c, i, j). */
#include "internal.h"

#define SORT_JOIN_(a, b) a##_##b
#define SORT_JOIN(a, b) SORT_JOIN_(a, b)
#define SORT_FN(part) SORT_JOIN(SORT_NAME, part)

static void SORT_FN(insertion)(SORT_CONTEXT *c, int64_t low, int64_t high)
{
    int64_t i, j;
    for (i = low + 1; i < high; i++)
        for (j = i; j > low && BEFORE(c, j, j - 1); j--)
            SWAP(c, j, j - 1);
}

static void SORT_FN(sink)(SORT_CONTEXT *c, int64_t low, int64_t root, int64_t n)
{
    for (;;) {
        int64_t child = 2 * root + 1;
        if (child >= n)
            return;
        if (child + 1 < n && BEFORE(c, low + child, low + child + 1))
            child++;
        if (!BEFORE(c, low + root, low + child))
            return;
        SWAP(c, low + root, low + child);
        root = child;
    }
}

static void SORT_FN(heap)(SORT_CONTEXT *c, int64_t low, int64_t high)
{
    int64_t n = high - low, i;
    for (i = n / 2; i-- > 0;)
        SORT_FN(sink)(c, low, i, n);
    for (i = n; i-- > 1;) {
        if (i % RM_STOP_EVERY == 0 && rm_stopped())
            return;
        SWAP(c, low, low + i);
        SORT_FN(sink)(c, low, 0, i);
    }
}

/* Moves the median of three to `low`, then splits around it. */
static int64_t SORT_FN(partition)(SORT_CONTEXT *c, int64_t low, int64_t high)
{
    int64_t middle = low + (high - low) / 2, last = high - 1, i = low, j = high;
    if (BEFORE(c, middle, low) != BEFORE(c, middle, last))
        SWAP(c, low, middle);
    else if (BEFORE(c, last, low) != BEFORE(c, last, middle))
        SWAP(c, low, last);
    for (;;) {
        do
            i++;
        while (i < high && BEFORE(c, i, low));
        do
            j--;
        while (BEFORE(c, low, j));
        if (i >= j)
            break;
        SWAP(c, i, j);
    }
    SWAP(c, low, j);
    return j;
}

static void SORT_FN(range)(SORT_CONTEXT *c, int64_t low, int64_t high, int depth)
{
    while (high - low > 24) {
        int64_t cut;
        if (high - low > RM_STOP_EVERY && rm_stopped())
            return;
        if (depth-- == 0) {
            SORT_FN(heap)(c, low, high);
            return;
        }
        cut = SORT_FN(partition)(c, low, high);
        if (cut - low < high - cut - 1) {
            SORT_FN(range)(c, low, cut, depth);
            low = cut + 1;
        } else {
            SORT_FN(range)(c, cut + 1, high, depth);
            high = cut;
        }
    }
    SORT_FN(insertion)(c, low, high);
}

static void SORT_NAME(SORT_CONTEXT *c, int64_t low, int64_t high)
{
    int depth = 2;
    int64_t n;
    for (n = high - low; n > 1; n /= 2)
        depth += 2;
    SORT_FN(range)(c, low, high, depth);
}

#undef SORT_FN
#undef SORT_NAME
#undef SORT_CONTEXT
#undef BEFORE
#undef SWAP
