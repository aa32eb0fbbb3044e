/* Some users at a time, taken through each step together. */
#ifndef RANKMILL_TOGETHER_H
#define RANKMILL_TOGETHER_H

#include <stdint.h>

#define RM_TOGETHER 64
#define RM_LENGTHS 130 /* the last stands for all longer ones, too */

static inline int rm_known_length(const int64_t *offsets, int64_t i)
{
    int64_t length = offsets[i + 1] - offsets[i];
    return length < RM_LENGTHS ? (int)length : RM_LENGTHS - 1;
}

/* The n <= RM_TOGETHER users by the length of their rows: loops over rows of the same length, one after the
 * other, end where the processor expects them to. */
static inline void rm_order_by_length(const int64_t *offsets, int64_t n, uint8_t *order)
{
    uint8_t ends[RM_LENGTHS] = {0};
    int64_t i;
    int length, longest = 0, end = 0;
    for (i = 0; i < n; i++) {
        length = rm_known_length(offsets, i);
        ends[length]++;
        longest = length > longest ? length : longest;
    }
    for (length = 0; length <= longest; length++) {
        int here = ends[length];
        ends[length] = (uint8_t)end;
        end += here;
    }
    for (i = 0; i < n; i++)
        order[ends[rm_known_length(offsets, i)]++] = (uint8_t)i;
}

#endif
