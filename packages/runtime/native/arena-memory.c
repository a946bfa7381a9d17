// The engine's memory functions over the arena.
#include "host.h"

// The engine counts what it has, and throws "out of memory" beyond its limit.
static void *allocate(JSMallocState *counts, size_t size) {
  if (counts->malloc_size + size > counts->malloc_limit) return 0;
  void *block = arena_alloc(counts->opaque, size);
  if (!block) return 0;
  counts->malloc_count++;
  counts->malloc_size += arena_size(block) + 8;
  return block;
}

static void release(JSMallocState *counts, void *block) {
  if (!block) return;
  counts->malloc_count--;
  counts->malloc_size -= arena_size(block) + 8;
  arena_free(counts->opaque, block);
}

static void *resize(JSMallocState *counts, void *block, size_t size) {
  if (!block) return size == 0 ? 0 : allocate(counts, size);
  if (size == 0) {
    release(counts, block);
    return 0;
  }
  size_t before = arena_size(block);
  if (size > before && counts->malloc_size + size - before > counts->malloc_limit) return 0;
  void *moved = arena_resize(counts->opaque, block, size);
  if (moved) counts->malloc_size += arena_size(moved) - before;
  return moved;
}

const JSMallocFunctions arena_memory = {allocate, release, resize, arena_size};
