// The engine's memory functions over the arena. While an "out of memory" error is created and reported, the limit is
// higher and the arena may use its reserve.
#include "host.h"

static Arena *arena_of(const JSMallocState *counts) {
  Arena *arena = counts->opaque;
  arena->use_spare = counts->malloc_limit > MEMORY_LIMIT;
  return arena;
}

// The engine counts its memory and throws "out of memory" beyond its limit.
static void *allocate(JSMallocState *counts, size_t size) {
  if (counts->malloc_size + size > counts->malloc_limit) return 0;
  void *block = arena_alloc(arena_of(counts), size);
  if (!block) return 0;
  counts->malloc_count++;
  counts->malloc_size += arena_size(block) + 8;
  return block;
}

static void release(JSMallocState *counts, void *block) {
  if (!block) return;
  counts->malloc_count--;
  counts->malloc_size -= arena_size(block) + 8;
  arena_free(arena_of(counts), block);
}

static void *resize(JSMallocState *counts, void *block, size_t size) {
  if (!block) return size == 0 ? 0 : allocate(counts, size);
  if (size == 0) {
    release(counts, block);
    return 0;
  }
  size_t before = arena_size(block);
  if (size > before && counts->malloc_size + size - before > counts->malloc_limit) return 0;
  void *moved = arena_resize(arena_of(counts), block, size);
  if (moved) counts->malloc_size += arena_size(moved) - before;
  return moved;
}

const JSMallocFunctions arena_memory = {allocate, release, resize, arena_size};
