// UTF-8 by the WHATWG Encoding Standard. Does not depend on the engine.
#ifndef CNI_UTF8_H
#define CNI_UTF8_H
#include <stddef.h>
#include <stdint.h>

// Number of leading bytes that are valid UTF-8.
size_t utf8_valid(const uint8_t *bytes, size_t length);

// Copies bytes, with U+FFFD for each maximal invalid part. Returns the length of the result, also if `to` is 0.
size_t utf8_repair(const uint8_t *from, size_t length, uint8_t *to);

// Overwrites unpaired surrogates with U+FFFD. The engine encodes such a surrogate as ED A0..BF xx, with the same
// length.
void utf8_replace_surrogates(uint8_t *bytes, size_t length);
// True if the text has an unpaired surrogate.
int utf8_has_surrogates(const uint8_t *bytes, size_t length);

// Whole characters of valid UTF-8 that fit into `room`.
typedef struct {
  size_t bytes;
  size_t units; // UTF-16 code units
} Utf8Prefix;
Utf8Prefix utf8_prefix(const uint8_t *bytes, size_t length, size_t room);
#endif
