/* Sums of bootstrap resamples, and of users in or out by a fair coin (half of a sign-flip test), for many
 * metrics at once. Whole numbers: the order of summing does not matter.
 *
 * A bootstrap of n users is n draws. How many fall into each block of 256 users is a multinomial number; it
 * is drawn exactly down a tree of blocks, each split a binomial number made of fair bits (Knuth and Yao 1976
 * compare a number with a probability bit by bit; here all draws at a node do so at once, and only how many
 * is counted). Within a block a draw is one byte. Coins: the sums of all 256 subsets of eight users are
 * tabled, so that a byte of flips is one addition (the "four Russians", Arlazarov et al. 1970). */
#include "resample.h"

#define TREE (-1)          /* the stream of a resample's tree; its others are numbered by block */
#define COUNTS (1 << 18)   /* draws per block and resample that are kept at once */
#define MOST_TOGETHER 64   /* bootstrap resamples that read the users together */
#define COINS_TOGETHER 512 /* the same for coins: a table costs about half as much as their sums */

typedef struct {
    const rm_sample *sample;
    const rm_kernels *kernels;
    int64_t n_blocks;
    int64_t together;
    int64_t *sums;
} resampling;

typedef struct {
    rm_buffer counts, words, subsets;
} resample_scratch;

static void release_scratch(void *scratch)
{
    resample_scratch *s = scratch;
    rm_release(&s->counts);
    rm_release(&s->words);
    rm_release(&s->subsets);
}

static int64_t smaller(int64_t a, int64_t b) { return a < b ? a : b; }

/* How many of n draws have a chance of wins / all: each compares a random number with it, bit by bit. */
static int64_t binomial(const rm_kernels *kernels, uint64_t *stream, int64_t n, int64_t wins, int64_t all)
{
    int64_t won = 0;
    while (n > 0 && wins > 0) {
        int64_t ones = kernels->count_ones(stream, n);
        wins *= 2;
        if (wins >= all) {
            won += n - ones;
            wins -= all;
            n = ones;
        } else {
            n -= ones;
        }
    }
    return won;
}

/* The draws that fall into each block from `first` on. The left half is a whole power of two blocks, so that
 * nearly all splits are even and take one bit per draw. */
static void split(const resampling *c, uint64_t *stream, int64_t first, int64_t n_blocks, int64_t draws,
                  int64_t *counts)
{
    while (n_blocks > 1 && draws > 0 && !(draws > RM_STOP_EVERY && rm_stopped())) {
        int64_t left = 1, users, all, in_left;
        while (2 * left < n_blocks)
            left *= 2;
        users = left * RM_SLOTS;
        all = smaller(n_blocks * RM_SLOTS, c->sample->n_users - first * RM_SLOTS);
        in_left = binomial(c->kernels, stream, draws, users, all);
        split(c, stream, first, left, in_left, counts);
        first += left;
        n_blocks -= left;
        draws -= in_left;
    }
    if (n_blocks == 1)
        counts[first] = draws;
}

/* The last block: bytes beyond its users are drawn again. */
static void sum_few(const resampling *c, const int64_t *table, int64_t n_slots, uint64_t stream, int64_t n,
                    int64_t *sums)
{
    uint8_t slots[RM_SLOTS];
    int64_t mask = 1;
    while (mask < n_slots)
        mask *= 2;
    while (n > 0) {
        int64_t kept = 0;
        while (kept < n && kept <= RM_SLOTS - 8) {
            uint64_t word = rm_next(&stream);
            int i;
            for (i = 0; i < 8; i++, word >>= 8) {
                slots[kept] = (uint8_t)(word & (uint64_t)(mask - 1));
                kept += slots[kept] < n_slots;
            }
        }
        kept = smaller(kept, n);
        c->kernels->sum_slots[c->sample->n_groups - 1](table, c->sample->n_users * RM_LANES, slots, kept,
                                                       sums);
        n -= kept;
    }
}

static rm_code bootstrap_some(void *context, void *scratch, int64_t part)
{
    const resampling *c = context;
    const rm_sample *s = c->sample;
    int64_t begin = part * c->together, n = smaller(c->together, s->n_resamples - begin);
    int64_t width = s->n_groups * RM_LANES, block, r;
    int64_t *sums = c->sums + begin * width;
    rm_buffer *kept = &((resample_scratch *)scratch)->counts;
    int64_t *counts = rm_reserve(kept, n * c->n_blocks, sizeof *counts);
    if (!counts)
        return rm_stop(RM_NO_MEMORY, part, -1, 0.0);
    memset(sums, 0, (size_t)(n * width) * sizeof *sums);
    memset(counts, 0, (size_t)(n * c->n_blocks) * sizeof *counts);
    for (r = 0; r < n; r++) {
        uint64_t stream = rm_stream(s->seed, s->first + begin + r, TREE);
        split(c, &stream, 0, c->n_blocks, s->n_users, counts + r * c->n_blocks);
    }
    for (block = 0; block < c->n_blocks && !rm_stopped(); block++) {
        const int64_t *table = s->values + block * RM_SLOTS * RM_LANES;
        int64_t n_slots = smaller(RM_SLOTS, s->n_users - block * RM_SLOTS);
        for (r = 0; r < n; r++) {
            uint64_t stream = rm_stream(s->seed, s->first + begin + r, block);
            int64_t draws = counts[r * c->n_blocks + block];
            if (n_slots < RM_SLOTS)
                sum_few(c, table, n_slots, stream, draws, sums + r * width);
            else
                c->kernels->sum_draws[s->n_groups - 1](table, s->n_users * RM_LANES, stream, draws,
                                                       sums + r * width);
        }
    }
    return RM_OK;
}

/* 64 users, of whom a word per resample tells who is in. */
static void flip_block(const resampling *c, int64_t user, const uint64_t *words, int64_t n, int64_t *subsets,
                       int64_t *sums)
{
    const rm_sample *s = c->sample;
    int64_t g;
    int shift;
    for (shift = 0; shift < 64 && user + shift < s->n_users; shift += 8) {
        int64_t first = user + shift;
        for (g = 0; g < s->n_groups; g++)
            c->kernels->fill_subsets(s->values + (g * s->n_users + first) * RM_LANES, s->n_users - first,
                                     subsets + g * RM_SLOTS * RM_LANES);
        c->kernels->sum_subsets[s->n_groups - 1](subsets, words, shift, n, sums);
    }
}

static rm_code flip_some(void *context, void *scratch, int64_t part)
{
    const resampling *c = context;
    const rm_sample *s = c->sample;
    int64_t begin = part * c->together, n = smaller(c->together, s->n_resamples - begin);
    int64_t width = s->n_groups * RM_LANES, block, r;
    int64_t *sums = c->sums + begin * width;
    resample_scratch *kept = scratch;
    uint64_t *words = rm_reserve(&kept->words, 2 * n, sizeof *words), *streams = words + n;
    int64_t *subsets = rm_reserve(&kept->subsets, width * RM_SLOTS, sizeof *subsets);
    if (!words || !subsets)
        return rm_stop(RM_NO_MEMORY, part, -1, 0.0);
    memset(sums, 0, (size_t)(n * width) * sizeof *sums);
    for (r = 0; r < n; r++)
        streams[r] = rm_stream(s->seed, s->first + begin + r, TREE);
    for (block = 0; block < s->n_users && !rm_stopped(); block += 64) {
        for (r = 0; r < n; r++)
            words[r] = rm_next(&streams[r]);
        flip_block(c, block, words, n, subsets, sums);
    }
    return RM_OK;
}

static rm_status run_parts(resampling *c, rm_body body, const rm_run *run)
{
    int64_t n_parts = (c->sample->n_resamples + c->together - 1) / c->together;
    rm_loop loop = {.body = body,
                    .context = c,
                    .scratch_size = sizeof(resample_scratch),
                    .release = release_scratch,
                    .n_users = n_parts,
                    .work = c->sample->n_users * c->sample->n_resamples};
    return rm_for_users(&loop, run);
}

rm_status rm_bootstrap(const rm_sample *sample, const rm_run *run, int64_t *sums)
{
    resampling c = {sample, run->kernels, (sample->n_users + RM_SLOTS - 1) / RM_SLOTS, 1, sums};
    c.together = smaller(COUNTS / (c.n_blocks + 1) + 1, MOST_TOGETHER);
    return run_parts(&c, bootstrap_some, run);
}

rm_status rm_coin_flips(const rm_sample *sample, const rm_run *run, int64_t *sums)
{
    resampling c = {sample, run->kernels, 0, COINS_TOGETHER, sums};
    return run_parts(&c, flip_some, run);
}
