// The engine's heap: one arena at a fixed address. Its bytes can therefore become a segment of the shipped file.
#ifndef CNI_ARENA_H
#define CNI_ARENA_H
#include <stddef.h>
#include <stdint.h>

// Below 2^38, because arm64 kernels may use 39-bit addresses. valgrind uses memory at 0x1000000000.
#define ARENA_BASE 0x2000000000ul
// Largest page size of both processors.
#define ARENA_ALIGN 0x10000ul
// Largest page size of this processor. The image ends at a page boundary.
#ifdef __x86_64__
#define ARENA_PAGE 0x1000ul
#else
#define ARENA_PAGE ARENA_ALIGN
#endif
// Zeroed memory of the segment behind the image.
#define ARENA_ROOM (64ul << 20)

// Number of size classes, enough for the largest size that arena_alloc() looks up.
enum { ARENA_CLASSES = 344 };

typedef struct {
  char *top; // next free byte
  char *end;
  void *free[ARENA_CLASSES]; // list of freed blocks for each size class
  int making_image;          // true while the image is made: freed bytes are zeroed, and the arena stays contiguous
  int use_spare;             // true if a growth may use the memory that is reserved for the stack
  // Freed large blocks while the image is made. Small blocks reuse them, so that the file has no gaps.
  void *gaps;
  char *gap;
  char *gap_end;
} Arena;

// Creates an arena behind the first `reserved` bytes at ARENA_BASE. Returns 0 if there is no memory.
int arena_create(Arena *arena, size_t reserved);

// Drops the lists of freed blocks, reserves `reserved` bytes and rounds up to whole pages. Returns the size from
// ARENA_BASE, or 0 if there is no memory.
size_t arena_close(Arena *arena, size_t reserved);

// Allocates a block at a multiple of 8. Returns 0 if there is no memory.
void *arena_alloc(Arena *arena, size_t size);
void arena_free(Arena *arena, void *block);
// Size of a block, at least the requested size. It is stored in the 8 bytes before the block.
static inline size_t arena_size(const void *block) { return block ? ((const size_t *)block)[-1] : 0; }
// Resizes a block. If there is no memory, returns 0 and leaves the block unchanged.
void *arena_resize(Arena *arena, void *block, size_t size);
#endif
