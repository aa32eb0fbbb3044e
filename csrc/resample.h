/* Random numbers of the resampling sums: SplitMix64 (Steele, Lea and Flood, OOPSLA 2014), one stream per
 * seed, resample and part, so that no number depends on who draws it when. */
#ifndef RANKMILL_RESAMPLE_H
#define RANKMILL_RESAMPLE_H

#include "internal.h"

#define RM_SLOTS 256 /* users, or subsets of eight users, that one random byte chooses from */
#define RM_LANES 4   /* metrics of a group: 32 bytes */

static inline uint64_t rm_mix(uint64_t z)
{
    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
    z = (z ^ z >> 27) * 0x94d049bb133111ebu;
    return z ^ z >> 31;
}

static inline uint64_t rm_next(uint64_t *stream) { return rm_mix(*stream += 0x9e3779b97f4a7c15u); }

/* The start of a stream; `part` tells the streams of one resample apart. */
static inline uint64_t rm_stream(uint64_t seed, int64_t resample, int64_t part)
{
    uint64_t key = seed;
    key = rm_next(&key) ^ (uint64_t)resample;
    key = rm_next(&key) ^ (uint64_t)part;
    return rm_next(&key);
}

#endif
