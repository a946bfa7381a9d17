// Follows the table "UTF-8 decoder" of https://encoding.spec.whatwg.org: the first byte limits the second byte.
#include "utf8.h"
#include <string.h>

typedef struct {
  unsigned more; // number of bytes that follow; 0 if the byte cannot begin a character
  uint8_t low, high; // range of the second byte
} Lead;

static Lead lead_of(uint8_t byte) {
  if (byte >= 0xc2 && byte <= 0xdf) return (Lead){1, 0x80, 0xbf};
  if (byte == 0xe0) return (Lead){2, 0xa0, 0xbf};
  if (byte == 0xed) return (Lead){2, 0x80, 0x9f};
  if (byte >= 0xe1 && byte <= 0xef) return (Lead){2, 0x80, 0xbf};
  if (byte == 0xf0) return (Lead){3, 0x90, 0xbf};
  if (byte >= 0xf1 && byte <= 0xf3) return (Lead){3, 0x80, 0xbf};
  if (byte == 0xf4) return (Lead){3, 0x80, 0x8f};
  return (Lead){0, 0, 0};
}

typedef struct {
  size_t length; // length of the character, or of the invalid part that one U+FFFD replaces
  int valid;
} Step;

// Decodes one character that is not ASCII, from at most `length` bytes.
static Step step(const uint8_t *at, size_t length) {
  Lead lead = lead_of(at[0]);
  if (lead.more == 0) return (Step){1, 0};
  for (unsigned i = 1; i <= lead.more; i++) {
    uint8_t low = i == 1 ? lead.low : 0x80;
    uint8_t high = i == 1 ? lead.high : 0xbf;
    if (i == length || at[i] < low || at[i] > high) return (Step){i, 0};
  }
  return (Step){lead.more + 1, 1};
}

static size_t ascii(const uint8_t *bytes, size_t from, size_t length) {
  for (uint64_t word; from + 8 <= length; from += 8) {
    memcpy(&word, bytes + from, 8);
    if (word & 0x8080808080808080u) break;
  }
  while (from < length && bytes[from] < 0x80) from++;
  return from;
}

size_t utf8_valid(const uint8_t *bytes, size_t length) {
  for (size_t at = 0;;) {
    at = ascii(bytes, at, length);
    if (at == length) return length;
    Step found = step(bytes + at, length - at);
    if (!found.valid) return at;
    at += found.length;
  }
}

size_t utf8_repair(const uint8_t *from, size_t length, uint8_t *to) {
  size_t written = 0;
  for (size_t at = 0; at < length;) {
    size_t good = utf8_valid(from + at, length - at);
    if (to) memcpy(to + written, from + at, good);
    at += good;
    written += good;
    if (at == length) break;
    if (to) memcpy(to + written, "\xef\xbf\xbd", 3);
    at += step(from + at, length - at).length;
    written += 3;
  }
  return written;
}

static const uint8_t *surrogate(const uint8_t *from, const uint8_t *end) {
  while (end - from >= 3) {
    const uint8_t *found = memchr(from, 0xed, (size_t)(end - from) - 2);
    if (!found || found[1] >= 0xa0) return found;
    from = found + 1;
  }
  return 0;
}

int utf8_has_surrogates(const uint8_t *bytes, size_t length) { return surrogate(bytes, bytes + length) != 0; }

void utf8_replace_surrogates(uint8_t *bytes, size_t length) {
  const uint8_t *end = bytes + length;
  for (const uint8_t *at = bytes; (at = surrogate(at, end)) != 0; at += 3) {
    memcpy(bytes + (at - bytes), "\xef\xbf\xbd", 3);
  }
}

Utf8Prefix utf8_prefix(const uint8_t *bytes, size_t length, size_t room) {
  Utf8Prefix prefix = {0, 0};
  while (prefix.bytes < length) {
    uint8_t byte = bytes[prefix.bytes];
    size_t size = byte < 0x80 ? 1 : byte < 0xe0 ? 2 : byte < 0xf0 ? 3 : 4;
    if (prefix.bytes + size > room) break;
    prefix.bytes += size;
    prefix.units += size == 4 ? 2 : 1;
  }
  return prefix;
}
