// Reads and writes whole files by system calls.
#ifndef CNI_FILES_H
#define CNI_FILES_H
#include <stddef.h>
#include <stdint.h>

// Reads a file into private writable memory with `spare` zeroed bytes behind it. On failure, returns 0 and sets errno.
uint8_t *file_read(const char *path, size_t spare, size_t *size);

typedef struct {
  const void *bytes;
  size_t size;
} Piece;
// Replaces the file. On failure, removes it, returns 0 and sets errno.
int file_write(const char *path, int mode, const Piece *pieces, int count);
#endif
