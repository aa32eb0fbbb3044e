/* Sums of doubles without rounding, as integers of 32-bit limbs: any order and any split of the values
 * gives the same sum. (The idea: Kulisch's long accumulator; R. M. Neal, arXiv:1505.05571.) */
#include "internal.h"

#define CARRY_EVERY (1 << 28) /* an addition moves a limb by less than 2^33; limbs hold 2^63 */

static void add(int64_t *limbs, double value)
{
    uint64_t bits, mantissa, low, high;
    int exponent, limb, shift;
    int64_t sign;
    memcpy(&bits, &value, sizeof bits);
    exponent = (int)(bits >> 52 & 0x7ff);
    mantissa = bits & 0xfffffffffffffu;
    if (exponent > 0) {
        mantissa |= 1ull << 52;
        exponent--;
    }
    limb = exponent >> 5;
    shift = exponent & 31;
    sign = bits >> 63 ? -1 : 1;
    low = (mantissa & 0xffffffffu) << shift;
    high = (mantissa >> 32) << shift;
    limbs[limb] += sign * (int64_t)(low & 0xffffffffu);
    limbs[limb + 1] += sign * (int64_t)((low >> 32) + (high & 0xffffffffu));
    limbs[limb + 2] += sign * (int64_t)(high >> 32);
}

static void carry(int64_t *limbs)
{
    int i;
    for (i = 0; i + 1 < RM_LIMBS; i++) {
        int64_t low = limbs[i] & 0xffffffff;
        limbs[i + 1] += (limbs[i] - low) / 4294967296;
        limbs[i] = low;
    }
}

void rm_exact_add(const double *values, const double *weights, int64_t n, int64_t *limbs, int64_t *count)
{
    int64_t i;
    for (i = 0; i < n; i++) {
        if (values[i] == values[i]) {
            add(limbs, weights ? values[i] * weights[i] : values[i]);
            ++*count;
        }
        if (i % CARRY_EVERY == CARRY_EVERY - 1)
            carry(limbs);
    }
    carry(limbs);
}
