// Hashes of property names and of strings in Map and Set, included by quickjs.c.
//
// The engine's own hash has no key. An attacker can find thousands of names with the same hash and make each lookup
// slow. Strings that are created after the start are therefore hashed with a random key. Strings of the image keep the
// engine's hash, because the image is made once. A lookup of a name tries both hashes.
#ifndef CNI_STRING_HASH_H
#define CNI_STRING_HASH_H
#include <stdint.h>

// 0 while the image is made.
static uint64_t string_hash_key;

// Polynomial in the key modulo the prime 2^61 - 1. Two strings of n characters collide for at most n keys.
static inline uint64_t string_hash_add(uint64_t hash, uint32_t unit, uint64_t key) {
  unsigned __int128 product = (unsigned __int128)hash * key + unit + 1;
  uint64_t folded = (uint64_t)(product & (((uint64_t)1 << 61) - 1)) + (uint64_t)(product >> 61);
  return folded >= (((uint64_t)1 << 61) - 1) ? folded - (((uint64_t)1 << 61) - 1) : folded;
}

static inline uint32_t string_hash_end(uint64_t hash) {
  hash *= 0x9e3779b97f4a7c15u;
  return (uint32_t)(hash >> 32);
}
#endif
