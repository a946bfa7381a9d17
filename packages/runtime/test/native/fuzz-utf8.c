// Reads records (u32 length, bytes). Answers each with u32 valid prefix, u32 length of the repaired text, and the text.
// Buffers have the exact size, so that AddressSanitizer detects an overrun of one byte.
#include "utf8.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int main(void) {
  uint32_t length;
  while (fread(&length, 4, 1, stdin) == 1) {
    uint8_t *bytes = malloc(length);
    if (length > 0 && fread(bytes, 1, length, stdin) != length) return 1;
    uint32_t valid = (uint32_t)utf8_valid(bytes, length);
    uint32_t size = (uint32_t)utf8_repair(bytes, length, 0);
    uint8_t *repaired = malloc(size);
    if (utf8_repair(bytes, length, repaired) != size) return 2;
    if (utf8_valid(repaired, size) != size) return 3;
    for (size_t room = 0; room <= size; room++) {
      Utf8Prefix prefix = utf8_prefix(repaired, size, room);
      if (prefix.bytes > room || room - prefix.bytes > 3 || utf8_valid(repaired, prefix.bytes) != prefix.bytes) return 4;
    }
    utf8_replace_surrogates(bytes, length);
    if (utf8_has_surrogates(bytes, length)) return 5;
    fwrite(&valid, 4, 1, stdout);
    fwrite(&size, 4, 1, stdout);
    fwrite(repaired, 1, size, stdout);
    free(bytes);
    free(repaired);
  }
  return 0;
}
