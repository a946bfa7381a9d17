// Makes random allocations in the arena while an image is made and afterwards. Contents must survive, and blocks must
// never overlap.
#include "arena.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { BLOCKS = 400, ROUNDS = 100000 };
static struct {
  uint8_t *bytes;
  size_t size;
  uint8_t fill;
} blocks[BLOCKS];
static uint64_t seed = 7;

static size_t draw(size_t below) {
  seed = seed * 6364136223846793005u + 1442695040888963407u;
  return (size_t)(seed >> 20) % below;
}

static void fail(const char *what) {
  puts(what);
  exit(1);
}

// Mostly small sizes, some large sizes, a few of tens of MiB.
static size_t draw_size(void) {
  size_t kind = draw(4000);
  if (kind == 0) return draw(70u << 20);
  return kind < 100 ? draw(300000) : draw(1200);
}

static void check(int i) {
  if (arena_size(blocks[i].bytes) < blocks[i].size) fail("a block is too small");
  if ((uintptr_t)blocks[i].bytes % 8 != 0) fail("a block is not aligned");
  size_t ends[] = {0, blocks[i].size / 2, blocks[i].size - 1};
  for (int k = 0; k < 3; k++) {
    if (blocks[i].size > 0 && blocks[i].bytes[ends[k]] != blocks[i].fill) fail("a block was overwritten");
  }
}

static void fill(int i) {
  blocks[i].fill = (uint8_t)draw(256);
  memset(blocks[i].bytes, blocks[i].fill, blocks[i].size);
}

int main(void) {
  Arena *arena = (Arena *)ARENA_BASE;
  if (!arena_create(arena, sizeof *arena)) fail("no arena");
  for (int round = 0; round < ROUNDS; round++) {
    if (round == ROUNDS / 2) {
      size_t used = arena_close(arena, 8);
      if (used % ARENA_PAGE != 0) fail("the image does not end with a page");
      // In a real program the kernel maps this memory behind the image.
      arena->end = (char *)ARENA_BASE + used;
    }
    int i = (int)draw(BLOCKS);
    size_t size = draw_size();
    if (!blocks[i].bytes) {
      blocks[i].bytes = arena_alloc(arena, size);
      if (!blocks[i].bytes) fail("no memory");
      for (size_t k = 0; arena->making_image && k < arena_size(blocks[i].bytes); k++) {
        if (blocks[i].bytes[k] != 0) fail("a block of the image is not zeroed");
      }
      blocks[i].size = size;
    } else if (draw(3) > 0) {
      check(i);
      uint8_t *moved = arena_resize(arena, blocks[i].bytes, size);
      if (!moved) fail("no memory");
      blocks[i].bytes = moved;
      size_t kept = blocks[i].size < size ? blocks[i].size : size;
      if (kept > 0 && moved[kept - 1] != blocks[i].fill) fail("a resized block lost its bytes");
      blocks[i].size = size;
    } else {
      check(i);
      arena_free(arena, blocks[i].bytes);
      blocks[i].bytes = 0;
      continue;
    }
    fill(i);
  }
  for (int i = 0; i < BLOCKS; i++) if (blocks[i].bytes) check(i);
  if (arena_alloc(arena, SIZE_MAX / 4) || arena_alloc(arena, 1ul << 46)) fail("more than there is");
  puts("fine");
  return 0;
}
