// The heap of the engine: one arena at a fixed address, so that its bytes can be a segment of the shipped file.
#ifndef CNI_ARENA_H
#define CNI_ARENA_H
#include <stddef.h>
#include <stdint.h>

// Below 2^38: arm64 kernels may have 39 bits of addresses. valgrind has its own memory at 0x1000000000.
#define ARENA_BASE 0x2000000000ul
// The largest page of both processors.
#define ARENA_ALIGN 0x10000ul
// The largest page of this processor: the image ends with one.
#ifdef __x86_64__
#define ARENA_PAGE 0x1000ul
#else
#define ARENA_PAGE ARENA_ALIGN
#endif
// Zeroed memory that the segment has behind the image.
#define ARENA_ROOM (64ul << 20)

// Enough for the largest size that arena_alloc() looks at.
enum { ARENA_CLASSES = 344 };

typedef struct {
  char *top; // the next free byte
  char *end;
  void *free[ARENA_CLASSES]; // a list of freed blocks for each size
  int making_image;          // freed bytes are zeroed, and the arena stays in one piece
  int use_spare;             // growth may take the memory that it leaves to the stack otherwise
  // While the image is made: freed large blocks, whose memory small blocks take. A file has no use for gaps.
  void *gaps;
  char *gap;
  char *gap_end;
} Arena;

// The arena begins behind the first `reserved` bytes of the memory at ARENA_BASE. Returns 0 if there is no memory.
int arena_create(Arena *arena, size_t reserved);

// Forgets freed blocks, leaves `reserved` bytes free and rounds up to whole pages. Returns the size from ARENA_BASE,
// 0 without memory.
size_t arena_close(Arena *arena, size_t reserved);

// A block begins at a multiple of 8. Returns 0 if there is no memory.
void *arena_alloc(Arena *arena, size_t size);
void arena_free(Arena *arena, void *block);
// Bytes that a block has: at least what was asked for. They are in the 8 bytes before it.
static inline size_t arena_size(const void *block) { return block ? ((const size_t *)block)[-1] : 0; }
// Returns 0, and leaves the block as it is, if there is no memory.
void *arena_resize(Arena *arena, void *block, size_t size);
#endif
