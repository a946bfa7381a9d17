// Size classes over memory that is only ever taken from its end: the process lives for milliseconds.
#include "arena.h"
#include <string.h>
#include <sys/mman.h>

#ifndef MAP_FIXED_NOREPLACE
#define MAP_FIXED_NOREPLACE 0x100000
#endif

// Each growth asks the kernel for this much, or for what is needed if the kernel refuses.
#define GROWTH (32ul << 20)
#define SMALL 1016

// A block has its size in the 8 bytes before it, and begins at a multiple of 16.
typedef struct {
  size_t bytes; // of the block, 8 more than a multiple of 16
  unsigned class;
} Size;

// Up to 1016 bytes in steps of 16, then four sizes between one power of two and the next.
static Size size_of(size_t wanted) {
  if (wanted <= SMALL) {
    unsigned class = wanted <= 8 ? 0 : (unsigned)((wanted + 7) >> 4);
    return (Size){.bytes = class * 16ul + 8, .class = class};
  }
  unsigned power = 63 - (unsigned)__builtin_clzl(wanted);
  size_t step = 1ul << (power - 2);
  size_t rounded = (wanted + step - 1) & ~(step - 1);
  power = 63 - (unsigned)__builtin_clzl(rounded);
  unsigned quarter = (rounded >> (power - 2)) & 3;
  return (Size){.bytes = rounded + 8, .class = 64 + (power - 9) * 4 + quarter};
}

static unsigned class_of(size_t bytes) { return size_of(bytes <= SMALL ? bytes : bytes - 8).class; }

static char *map(char *at, size_t size) {
  void *found = mmap(at, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE, -1, 0);
  return found == MAP_FAILED ? 0 : found;
}

// The addresses behind the arena may be taken: memory anywhere else does as well, but not while an image is made.
static int grow(Arena *arena, size_t needed) {
  size_t least = (needed + 16 + ARENA_ALIGN - 1) & ~(ARENA_ALIGN - 1);
  size_t sizes[] = {least > GROWTH ? least : GROWTH, least};
  for (unsigned i = 0; i < 2; i++) {
    size_t size = sizes[i];
    char *at = map(arena->end, size);
    if (at == arena->end) {
      arena->end += size;
      return 1;
    }
    // A kernel before 4.17 takes the address for a wish.
    if (at) munmap(at, size);
    if (arena->making_image) continue;
    void *anywhere = mmap(0, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (anywhere == MAP_FAILED) continue;
    arena->top = (char *)anywhere + 8;
    arena->end = (char *)anywhere + size;
    return 1;
  }
  return 0;
}

int arena_create(Arena *arena, size_t reserved) {
  char *base = map((char *)ARENA_BASE, ARENA_ROOM);
  if (base != (char *)ARENA_BASE) return 0;
  arena->top = base + ((reserved + 15) & ~15ul) + 8;
  arena->end = base + ARENA_ROOM;
  arena->making_image = 1;
  return 1;
}

size_t arena_close(Arena *arena) {
  size_t used = (size_t)(arena->top - (char *)ARENA_BASE);
  size_t size = (used + ARENA_ALIGN - 1) & ~(ARENA_ALIGN - 1);
  memset(arena->free, 0, sizeof arena->free);
  arena->top = (char *)ARENA_BASE + size + 8;
  arena->end = (char *)ARENA_BASE + size + ARENA_ROOM;
  arena->making_image = 0;
  return size;
}

void *arena_alloc(Arena *arena, size_t wanted) {
  if (wanted > PTRDIFF_MAX / 2) return 0;
  Size size = size_of(wanted);
  void *freed = arena->free[size.class];
  if (freed) {
    memcpy(&arena->free[size.class], freed, sizeof(void *));
    if (arena->making_image) memset(freed, 0, sizeof(void *));
    return freed;
  }
  if (arena->end - arena->top < (ptrdiff_t)size.bytes + 8 && !grow(arena, size.bytes + 8)) return 0;
  char *block = arena->top + 8;
  memcpy(arena->top, &size.bytes, sizeof(size_t));
  arena->top += size.bytes + 8;
  return block;
}

size_t arena_size(const void *block) {
  if (!block) return 0;
  size_t bytes;
  memcpy(&bytes, (const char *)block - 8, sizeof bytes);
  return bytes;
}

void arena_free(Arena *arena, void *block) {
  if (!block) return;
  size_t bytes = arena_size(block);
  if (arena->making_image) memset(block, 0, bytes);
  void **list = &arena->free[class_of(bytes)];
  memcpy(block, list, sizeof(void *));
  *list = block;
}

void *arena_resize(Arena *arena, void *block, size_t wanted) {
  size_t bytes = arena_size(block);
  // A large block that shrinks to less than its half is copied, so that its rest is not lost.
  if (wanted <= bytes && (bytes <= SMALL || wanted > bytes / 2)) {
    if (arena->making_image) memset((char *)block + wanted, 0, bytes - wanted);
    return block;
  }
  void *moved = arena_alloc(arena, wanted);
  if (!moved) return 0;
  memcpy(moved, block, bytes < wanted ? bytes : wanted);
  arena_free(arena, block);
  return moved;
}
