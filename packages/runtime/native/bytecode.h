// Format of the file between cni-compile and cni-runtime. The engine reads only bytecode of its own build, and does not
// validate bytecode.
#ifndef CNI_BYTECODE_H
#define CNI_BYTECODE_H
#include <stddef.h>
#include <stdint.h>

typedef struct {
  char magic[8];
  char build[24];
  uint64_t length; // length of the bytecode, which follows
} BytecodeHeader;

#define BYTECODE_MAGIC "cni-bc\1"
#endif
