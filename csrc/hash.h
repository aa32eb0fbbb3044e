/* A hash of any bytes, for tables of ids. */
#ifndef RANKMILL_HASH_H
#define RANKMILL_HASH_H

#include <stdint.h>
#include <string.h>

static inline uint64_t rm_hash(const char *key, int64_t n_bytes)
{
    uint64_t h = 0x9e3779b97f4a7c15u, word;
    for (; n_bytes >= 8; n_bytes -= 8, key += 8) {
        memcpy(&word, key, 8);
        h = (h ^ word) * 0xff51afd7ed558ccdu;
        h ^= h >> 32;
    }
    for (; n_bytes > 0; n_bytes--, key++)
        h = (h ^ (unsigned char)*key) * 0x100000001b3u;
    h *= 0xc4ceb9fe1a85ec53u;
    return h ^ h >> 29;
}

#endif
