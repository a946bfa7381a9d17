// Allocator with size classes. It takes new memory only from the end of the arena, because processes are short-lived.
#include "arena.h"
#include <string.h>
#include <sys/mman.h>

#ifndef MAP_FIXED_NOREPLACE
#define MAP_FIXED_NOREPLACE 0x100000
#endif

// Bytes that one growth asks the kernel for. If the kernel refuses, only the needed bytes are asked for.
#define GROWTH (32ul << 20)
// Memory that a growth leaves free. The stack grows under the same limit, and a failure there is a SIGSEGV.
#define SPARE (4ul << 20)
#define SMALL 1024
// Least size of a freed block that is reused while the image is made.
#define GAP 2048

typedef struct {
  size_t bytes; // size of the block, a multiple of 8
  unsigned class;
} Size;

// Size classes: steps of 8 up to 1024 bytes, then four classes for each doubling.
static inline __attribute__((always_inline)) Size size_of(size_t wanted) {
  if (wanted <= SMALL) {
    // A freed block needs at least 8 bytes for the list.
    unsigned class = wanted == 0 ? 1 : (unsigned)((wanted + 7) >> 3);
    return (Size){.bytes = class * 8ul, .class = class};
  }
  unsigned power = 63 - (unsigned)__builtin_clzl(wanted);
  size_t step = 1ul << (power - 2);
  size_t rounded = (wanted + step - 1) & ~(step - 1);
  power = 63 - (unsigned)__builtin_clzl(rounded);
  unsigned quarter = (rounded >> (power - 2)) & 3;
  return (Size){.bytes = rounded, .class = SMALL / 8 + 1 + (power - 10) * 4 + quarter};
}

// Maps `size` bytes if `spare` bytes remain free, else returns 0. `flags` is for the address.
static char *map(char *at, size_t size, size_t spare, int flags) {
  flags |= MAP_PRIVATE | MAP_ANONYMOUS;
  char *found = mmap(at, size + spare, PROT_READ | PROT_WRITE, flags, -1, 0);
  if (found == MAP_FAILED) return 0;
  if (spare > 0) munmap(found + size, spare);
  return found;
}

// If the addresses behind the arena are in use, any other address serves, except while an image is made.
static int grow(Arena *arena, size_t needed) {
  size_t spare = arena->use_spare ? 0 : SPARE;
  size_t least = (needed + 16 + ARENA_ALIGN - 1) & ~(ARENA_ALIGN - 1);
  size_t sizes[] = {least > GROWTH ? least : GROWTH, least};
  for (unsigned i = 0; i < 2; i++) {
    size_t size = sizes[i];
    char *at = map(arena->end, size, spare, MAP_FIXED_NOREPLACE);
    if (at == arena->end) {
      arena->end += size;
      return 1;
    }
    // A kernel before 4.17 ignores MAP_FIXED_NOREPLACE and treats the address as a hint.
    if (at) munmap(at, size);
    if (arena->making_image) continue;
    char *anywhere = map(0, size, spare, 0);
    if (!anywhere) continue;
    arena->top = anywhere;
    arena->end = anywhere + size;
    return 1;
  }
  return 0;
}

int arena_create(Arena *arena, size_t reserved) {
  char *base = map((char *)ARENA_BASE, ARENA_ROOM, SPARE, MAP_FIXED_NOREPLACE);
  if (base != (char *)ARENA_BASE) return 0;
  arena->top = base + ((reserved + 7) & ~7ul);
  arena->end = base + ARENA_ROOM;
  arena->making_image = 1;
  return 1;
}

size_t arena_close(Arena *arena, size_t reserved) {
  if (arena->end - arena->top < (ptrdiff_t)(reserved + ARENA_PAGE) && !grow(arena, reserved + ARENA_PAGE)) return 0;
  size_t used = reserved + (size_t)(arena->top - (char *)ARENA_BASE);
  size_t size = (used + ARENA_PAGE - 1) & ~(ARENA_PAGE - 1);
  memset(arena->free, 0, sizeof arena->free);
  arena->gaps = arena->gap = arena->gap_end = 0;
  arena->top = (char *)ARENA_BASE + size;
  arena->end = (char *)ARENA_BASE + size + ARENA_ROOM;
  arena->making_image = 0;
  return size;
}

// Takes a new block at `*top` and moves `*top` behind it.
static void *take(char **top, size_t bytes) {
  char *block = *top + 8;
  memcpy(*top, &bytes, sizeof bytes);
  *top = block + bytes;
  return block;
}

// Takes a small block of the image from a freed large block. Returns 0 if no freed block is large enough.
static void *take_from_gap(Arena *arena, size_t bytes) {
  while (arena->gap_end - arena->gap < (ptrdiff_t)bytes + 8) {
    char *next = arena->gaps;
    if (!next) return 0;
    memcpy(&arena->gaps, next, sizeof(void *));
    memset(next, 0, sizeof(void *));
    arena->gap = next - 8;
    arena->gap_end = next + arena_size(next);
  }
  return take(&arena->gap, bytes);
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
  if (arena->making_image && size.bytes <= SMALL) {
    void *block = take_from_gap(arena, size.bytes);
    if (block) return block;
  }
  if (arena->end - arena->top < (ptrdiff_t)size.bytes + 8 && !grow(arena, size.bytes + 8)) return 0;
  return take(&arena->top, size.bytes);
}

void arena_free(Arena *arena, void *block) {
  if (!block) return;
  size_t bytes = arena_size(block);
  if (arena->making_image) memset(block, 0, bytes);
  void **list = arena->making_image && bytes >= GAP ? &arena->gaps : &arena->free[size_of(bytes).class];
  memcpy(block, list, sizeof(void *));
  *list = block;
}

void *arena_resize(Arena *arena, void *block, size_t wanted) {
  size_t bytes = arena_size(block);
  // A large block that shrinks below half its size is copied, to reuse its memory.
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
