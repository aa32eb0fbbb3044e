/* Sums of resamples, for the instruction set of kernels.h: integers, so in any order the same. */

typedef uint64_t sums_vector __attribute__((vector_size(RM_VECTOR_BYTES), aligned(8), may_alias));
#define GROUP_VECTORS (32 / RM_VECTOR_BYTES) /* of a group of RM_LANES metrics */
#define EACH_VECTOR(G) for (v = 0; v < G * GROUP_VECTORS; v++)
/* Vector v of the slot at `at`; the groups of a slot are `stride` numbers apart. */
#define SLOT(at, v) ((const sums_vector *)((at) + (v) / GROUP_VECTORS * stride))[(v) % GROUP_VECTORS]

static int64_t NAME(count_ones)(uint64_t *stream, int64_t n)
{
    int64_t ones = 0;
    for (; n >= 64; n -= 64)
        ones += __builtin_popcountll(rm_next(stream));
    if (n > 0)
        ones += __builtin_popcountll(rm_next(stream) & (((uint64_t)1 << n) - 1));
    return ones;
}

/* A subset without its last user is an earlier one; users beyond n count as 0. */
static void NAME(fill_subsets)(const int64_t *users, int64_t n, int64_t *subsets)
{
    const sums_vector *user = (const sums_vector *)users;
    const sums_vector zero = {0};
    sums_vector *out = (sums_vector *)subsets;
    int64_t i, j;
    int v;
    for (v = 0; v < GROUP_VECTORS; v++)
        out[v] = zero;
    for (i = 0; i < 8; i++) {
        int64_t half = (int64_t)GROUP_VECTORS << i;
        for (j = 0; j < half; j += GROUP_VECTORS)
            for (v = 0; v < GROUP_VECTORS; v++)
                out[half + j + v] = out[j + v] + (i < n ? user[i * GROUP_VECTORS + v] : zero);
    }
}

#define ADD_SLOT(G, slot)                                       \
    do {                                                        \
        const int64_t *at = table + (int64_t)(slot) * RM_LANES; \
        EACH_VECTOR(G) sum[v] += SLOT(at, v);                   \
    } while (0)

#define DEFINE_SUM_SLOTS(G)                                                                                \
    static void NAME(sum_slots_##G)(const int64_t *table, int64_t stride, const uint8_t *slots, int64_t n, \
                                    int64_t *sums)                                                         \
    {                                                                                                      \
        sums_vector sum[G * GROUP_VECTORS];                                                                \
        int64_t i;                                                                                         \
        int v;                                                                                             \
        EACH_VECTOR(G) sum[v] = ((const sums_vector *)sums)[v];                                            \
        for (i = 0; i < n; i++)                                                                            \
            ADD_SLOT(G, slots[i]);                                                                         \
        EACH_VECTOR(G)((sums_vector *)sums)[v] = sum[v];                                                   \
    }

#define DEFINE_SUMS(G)                                                                                   \
    static void NAME(sum_draws_##G)(const int64_t *table, int64_t stride, uint64_t stream, int64_t n,    \
                                    int64_t *sums)                                                       \
    {                                                                                                    \
        sums_vector sum[G * GROUP_VECTORS];                                                              \
        uint64_t word;                                                                                   \
        int v, i;                                                                                        \
        EACH_VECTOR(G) sum[v] = ((const sums_vector *)sums)[v];                                          \
        for (; n >= 8; n -= 8) {                                                                         \
            word = rm_next(&stream);                                                                     \
            for (i = 0; i < 8; i++, word >>= 8)                                                          \
                ADD_SLOT(G, word & 0xff);                                                                \
        }                                                                                                \
        for (word = rm_next(&stream); n > 0; n--, word >>= 8)                                            \
            ADD_SLOT(G, word & 0xff);                                                                    \
        EACH_VECTOR(G)((sums_vector *)sums)[v] = sum[v];                                                 \
    }                                                                                                    \
    static void NAME(sum_subsets_##G)(const int64_t *table, const uint64_t *words, int shift, int64_t n, \
                                      int64_t *sums)                                                     \
    {                                                                                                    \
        const int64_t stride = RM_SLOTS * RM_LANES;                                                      \
        int64_t r;                                                                                       \
        int v;                                                                                           \
        for (r = 0; r < n; r++) {                                                                        \
            sums_vector *sum = (sums_vector *)(sums + r * G * RM_LANES);                                 \
            ADD_SLOT(G, words[r] >> shift & 0xff);                                                       \
        }                                                                                                \
    }

DEFINE_SUMS(1)
DEFINE_SUMS(2)
DEFINE_SUMS(3)
DEFINE_SUM_SLOTS(1)
DEFINE_SUM_SLOTS(2)
DEFINE_SUM_SLOTS(3)
