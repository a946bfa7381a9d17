// UTF-8 as the WHATWG Encoding Standard has it. Knows nothing of the engine.
#ifndef CNI_UTF8_H
#define CNI_UTF8_H
#include <stddef.h>
#include <stdint.h>

// The number of leading bytes that are valid UTF-8; `length` if all are.
size_t utf8_valid(const uint8_t *bytes, size_t length);

// Copies with U+FFFD for each maximal part of an invalid sequence. Returns the bytes that are written, or that would be
// if `to` is 0.
size_t utf8_repair(const uint8_t *from, size_t length, uint8_t *to);

// The engine encodes a surrogate without a partner as ED A0..BF xx. Writes U+FFFD, which is as long, over each.
void utf8_replace_surrogates(uint8_t *bytes, size_t length);
// Is there one?
int utf8_has_surrogates(const uint8_t *bytes, size_t length);

// Whole characters of valid UTF-8 that `room` has space for.
typedef struct {
  size_t bytes;
  size_t units; // UTF-16 code units
} Utf8Prefix;
Utf8Prefix utf8_prefix(const uint8_t *bytes, size_t length, size_t room);
#endif
