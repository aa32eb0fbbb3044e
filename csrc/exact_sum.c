/* Sums of doubles without rounding, as integers of 32-bit limbs: any order and any split of the values
 * gives the same sum. (The idea: Kulisch's long accumulator; R. M. Neal, arXiv:1505.05571.) */
#include <math.h>

#include "internal.h"

#define BATCH (1 << 16)

/* Adds whole * 2^bit; a limb moves by less than 2^33. */
static void add_whole(int64_t *limbs, uint64_t whole, int bit, int64_t sign)
{
    int limb = bit >> 5, shift = bit & 31;
    uint64_t low = (whole & 0xffffffffu) << shift, high = (whole >> 32) << shift;
    limbs[limb] += sign * (int64_t)(low & 0xffffffffu);
    limbs[limb + 1] += sign * (int64_t)((low >> 32) + (high & 0xffffffffu));
    limbs[limb + 2] += sign * (int64_t)(high >> 32);
}

static void add(int64_t *limbs, double value)
{
    uint64_t bits, mantissa;
    int exponent;
    memcpy(&bits, &value, sizeof bits);
    exponent = (int)(bits >> 52 & 0x7ff);
    mantissa = bits & 0xfffffffffffffu;
    if (exponent > 0) {
        mantissa |= 1ull << 52;
        exponent--;
    }
    add_whole(limbs, mantissa, exponent, bits >> 63 ? -1 : 1);
}

/* Nearly all values are below 2^15 and whole in units of 2^-78: two registers hold a batch of them, whole
 * in units of 2^-32 and what that leaves. */
typedef struct {
    int64_t high, low;
} near_sum;

static int add_near(near_sum *sum, double value)
{
    double scaled = value * 0x1p32, rest;
    int64_t high, low;
    if (!(fabs(value) < 0x1p15))
        return 0;
    high = (int64_t)scaled;
    rest = (scaled - (double)high) * 0x1p46;
    low = (int64_t)rest;
    if ((double)low != rest)
        return 0;
    sum->high += high;
    sum->low += low;
    return 1;
}

static void add_signed(int64_t *limbs, int64_t whole, int bit)
{
    add_whole(limbs, whole < 0 ? 0 - (uint64_t)whole : (uint64_t)whole, bit, whole < 0 ? -1 : 1);
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

/* The number of values that are not NaN. */
static int64_t add_batch(const double *values, const double *weights, int64_t n, int64_t *limbs)
{
    near_sum sum = {0, 0};
    int64_t i, n_nan = 0;
    for (i = 0; i < n; i++) {
        double value = weights ? values[i] * weights[i] : values[i];
        if (add_near(&sum, value))
            continue;
        if (values[i] == values[i])
            add(limbs, value);
        else
            n_nan++;
    }
    add_signed(limbs, sum.high, 1074 - 32);
    add_signed(limbs, sum.low, 1074 - 78);
    carry(limbs);
    return n - n_nan;
}

void rm_exact_add(const double *values, const double *weights, int64_t n, int64_t *limbs, int64_t *count)
{
    int64_t i;
    for (i = 0; i < n; i += BATCH)
        *count += add_batch(values + i, weights ? weights + i : NULL, n - i < BATCH ? n - i : BATCH, limbs);
}

/* What rounding took from the square of a value, exactly (Dekker 1971): its halves of 26 bits have exact
 * products. Not where the square is close to the ends of the range. */
static double square_error(double value, double square)
{
    double split = value * 134217729, high, low;
    if (!(square > 0x1p-900 && square < 0x1p1000))
        return 0;
    high = split - (split - value);
    low = value - high;
    return low * low - (square - high * high - 2 * high * low);
}

/* The halves of squares of values that are below 2 and whole in units of 2^-62, nearly all. */
typedef struct {
    unsigned __int128 high, low;
} near_squares;

static int add_near_square(near_squares *sum, double value)
{
    double scaled = value * 0x1p62;
    int64_t root;
    unsigned __int128 square;
    if (!(fabs(value) < 2))
        return 0;
    root = (int64_t)scaled;
    if ((double)root != scaled)
        return 0;
    square = (unsigned __int128)((__int128)root * root);
    sum->high += (uint64_t)(square >> 64);
    sum->low += (uint64_t)square;
    return 1;
}

static void add_wide(int64_t *limbs, unsigned __int128 whole, int bit)
{
    add_whole(limbs, (uint64_t)whole, bit, 1);
    add_whole(limbs, (uint64_t)(whole >> 64), bit + 64, 1);
}

/* Without rounding any: the variance of close values is what is left when the sums cancel. */
static void add_squares(const double *values, int64_t n, int64_t *limbs)
{
    near_squares sum = {0, 0};
    int64_t i;
    for (i = 0; i < n; i++) {
        double square = values[i] * values[i];
        if (add_near_square(&sum, values[i]) || square != square)
            continue;
        add(limbs, square);
        add(limbs, square_error(values[i], square));
    }
    add_wide(limbs, sum.low, 1074 - 124);
    add_wide(limbs, sum.high, 1074 - 124 + 64);
    carry(limbs);
}

void rm_exact_moments(const double *values, int64_t n_rows, int64_t n, int64_t *sums, int64_t *squares,
                      int64_t *counts)
{
    int64_t row, i;
    for (row = 0; row < n_rows; row++, values += n) {
        rm_exact_add(values, NULL, n, sums + row * RM_LIMBS, counts + row);
        for (i = 0; i < n; i += BATCH)
            add_squares(values + i, n - i < BATCH ? n - i : BATCH, squares + row * RM_LIMBS);
    }
}
