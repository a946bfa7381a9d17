#include "files.h"
#include <errno.h>
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

uint8_t *file_read(const char *path, size_t spare, size_t *size) {
  int file = open(path, O_RDONLY | O_CLOEXEC);
  if (file < 0) return 0;
  struct stat stat;
  uint8_t *bytes = 0;
  if (fstat(file, &stat) == 0) {
    *size = (size_t)stat.st_size;
    void *mapped = mmap(0, *size + spare + 1, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    bytes = mapped == MAP_FAILED ? 0 : mapped;
  }
  for (size_t at = 0; bytes && at < *size;) {
    ssize_t got = read(file, bytes + at, *size - at);
    if (got < 0) {
      bytes = 0;
    } else if (got == 0) {
      *size = at;
    } else {
      at += (size_t)got;
    }
  }
  int error = errno;
  close(file);
  errno = error;
  return bytes;
}

static int write_all(int file, const Piece *piece) {
  for (size_t at = 0; at < piece->size;) {
    ssize_t written = write(file, (const char *)piece->bytes + at, piece->size - at);
    if (written < 0) return 0;
    at += (size_t)written;
  }
  return 1;
}

int file_write(const char *path, int mode, const Piece *pieces, int count) {
  // Unlinking first keeps the old file for programs that run from it.
  if (unlink(path) < 0 && errno != ENOENT) return 0;
  int file = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, mode);
  if (file < 0) return 0;
  int done = 1;
  for (int i = 0; i < count && done; i++) done = write_all(file, &pieces[i]);
  if (close(file) < 0) done = 0;
  if (!done) {
    int error = errno;
    unlink(path);
    errno = error;
  }
  return done;
}
