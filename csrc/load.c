/* Typed loads from any numpy layout: strided, unaligned or byte-swapped, converted without loss. */
#include "internal.h"

static uint16_t swap_16(uint16_t v) { return (uint16_t)(v >> 8 | v << 8); }
static uint32_t swap_32(uint32_t v)
{
    return (uint32_t)swap_16((uint16_t)v) << 16 | swap_16((uint16_t)(v >> 16));
}
static uint64_t swap_64(uint64_t v)
{
    return (uint64_t)swap_32((uint32_t)v) << 32 | swap_32((uint32_t)(v >> 32));
}
static uint8_t swap_8(uint8_t v) { return v; }

/* IEEE binary16 to binary32, exact, for compilers without a half type. */
static float half_to_float(uint16_t half)
{
    uint32_t sign = (uint32_t)(half & 0x8000u) << 16, exponent = half >> 10 & 31u, fraction = half & 1023u,
             bits;
    float value;
    if (exponent == 0) {
        value = (float)fraction * 0x1p-24f;
        return sign ? -value : value;
    }
    bits = sign | (exponent == 31 ? 0x7f800000u : (exponent + 112) << 23) | fraction << 13;
    memcpy(&value, &bits, sizeof value);
    return value;
}

static uint8_t not_zero(uint8_t v) { return v != 0; }
/* Moves uint64 onto int64 with the order kept. */
static int64_t recentre(uint64_t v) { return (int64_t)(v ^ 0x8000000000000000u); }

#define CASE(TYPE, SOURCE, BITS, CONVERT)                \
    case TYPE:                                           \
        for (j = 0; j < n; j++, from += array->stride) { \
            uint##BITS##_t raw;                          \
            SOURCE value;                                \
            memcpy(&raw, from, sizeof raw);              \
            if (array->swapped)                          \
                raw = swap_##BITS(raw);                  \
            memcpy(&value, &raw, sizeof value);          \
            out[j] = CONVERT(value);                     \
        }                                                \
        return;

#define DEFINE_LOAD(T, FROM_U64)                                                                    \
    void rm_load_##T(const rm_array *array, const char *row, int64_t start, int64_t n, rm_##T *out) \
    {                                                                                               \
        const char *from = row + start * array->stride;                                             \
        int64_t j;                                                                                  \
        switch (array->type) {                                                                      \
            CASE(RM_BOOL, uint8_t, 8, not_zero)                                                     \
            CASE(RM_I8, int8_t, 8, (rm_##T))                                                        \
            CASE(RM_U8, uint8_t, 8, (rm_##T))                                                       \
            CASE(RM_I16, int16_t, 16, (rm_##T))                                                     \
            CASE(RM_U16, uint16_t, 16, (rm_##T))                                                    \
            CASE(RM_I32, int32_t, 32, (rm_##T))                                                     \
            CASE(RM_U32, uint32_t, 32, (rm_##T))                                                    \
            CASE(RM_I64, int64_t, 64, (rm_##T))                                                     \
            CASE(RM_U64, uint64_t, 64, FROM_U64)                                                    \
            CASE(RM_F16, uint16_t, 16, half_to_float)                                               \
            CASE(RM_F32, float, 32, (rm_##T))                                                       \
            CASE(RM_F64, double, 64, (rm_##T))                                                      \
        }                                                                                           \
    }

DEFINE_LOAD(f32, (rm_f32))
DEFINE_LOAD(f64, (rm_f64))
DEFINE_LOAD(i64, recentre)

rm_kernel_type rm_kernel_type_of(int32_t type)
{
    switch (type) {
    case RM_F64:
    case RM_I32:
    case RM_U32:
        return RM_KERNEL_F64;
    case RM_I64:
    case RM_U64:
        return RM_KERNEL_I64;
    default:
        return RM_KERNEL_F32;
    }
}

int rm_scores_in_place(const rm_array *scores)
{
    int size = scores->type == RM_F32 ? 4 : 8;
    int native = scores->type == RM_F32 || scores->type == RM_F64 || scores->type == RM_I64;
    return native && !scores->swapped && scores->stride == size && scores->row_stride % size == 0 &&
           (uintptr_t)scores->data % (unsigned)size == 0;
}
