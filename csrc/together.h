/* Some users at a time, taken through each step together. */
#ifndef RANKMILL_TOGETHER_H
#define RANKMILL_TOGETHER_H

#include <stdint.h>

#define RM_TOGETHER 64
#define RM_LENGTHS 32

/* The n <= RM_TOGETHER users by the length of their rows: loops over rows of the same length, one after the
 * other, end where the processor expects them to. */
static inline void rm_order_by_length(const int64_t *offsets, int64_t n, uint8_t *order)
{
    uint8_t ends[RM_LENGTHS] = {0};
    int64_t i;
    int length, end = 0;
    for (i = 0; i < n; i++) {
        int64_t is = offsets[i + 1] - offsets[i];
        ends[is < RM_LENGTHS ? is : RM_LENGTHS - 1]++;
    }
    for (length = 0; length < RM_LENGTHS; length++) {
        int here = ends[length];
        ends[length] = (uint8_t)end;
        end += here;
    }
    for (i = 0; i < n; i++) {
        int64_t is = offsets[i + 1] - offsets[i];
        order[ends[is < RM_LENGTHS ? is : RM_LENGTHS - 1]++] = (uint8_t)i;
    }
}

#endif
