// The file between cni-compile and cni-runtime: the engine reads bytecode of its own build only, and does not check it.
#ifndef CNI_BYTECODE_H
#define CNI_BYTECODE_H
#include <stddef.h>
#include <stdint.h>

typedef struct {
  char magic[8];
  char build[24];
  uint64_t length; // of the bytecode, which follows
} BytecodeHeader;

#define BYTECODE_MAGIC "cni-bc\1"
#endif
