// Whole files, by system calls.
#ifndef CNI_FILES_H
#define CNI_FILES_H
#include <stddef.h>
#include <stdint.h>

// A private writable copy with `spare` zeroed bytes behind it. Returns 0 and sets errno.
uint8_t *file_read(const char *path, size_t spare, size_t *size);

typedef struct {
  const void *bytes;
  size_t size;
} Piece;
// Replaces the file. Returns 0 and sets errno; nothing is left of the file then.
int file_write(const char *path, int mode, const Piece *pieces, int count);
#endif
