// QuickJS, and access to its internals for the host (engine.c).
#ifndef CNI_ENGINE_H
#define CNI_ENGINE_H
#include "quickjs.h"

// Creates a context without the JavaScript parser. The linker then drops the parser.
JSContext *engine_new_context(JSRuntime *runtime);

// Bytes of an ArrayBuffer, a typed array or a DataView. Returns 0 for any other value. `bytes` is never null, even if
// the buffer is empty or detached.
int engine_bytes(JSValueConst value, uint8_t **bytes, size_t *length);

int engine_is_uncatchable(JSContext *context, JSValueConst error);

// The interpreter throws a RangeError before its stack reaches this address.
void engine_set_stack_limit(JSRuntime *runtime, uintptr_t lowest);

// Frees the code of evaluated modules, which never runs again.
void engine_forget_modules(JSContext *context);

// Clears state that differs between runs: stack addresses and the seed of Math.random().
void engine_prepare_image(JSContext *context);

// Sets the seed of Math.random() and the key of string hashes. Both are new at each start.
void engine_seed(JSContext *context, uint64_t random, uint64_t hash_key);
#endif
