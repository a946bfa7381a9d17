// QuickJS, and what the host needs of its inside (engine.c).
#ifndef CNI_ENGINE_H
#define CNI_ENGINE_H
#include "quickjs.h"

// A context without the parser of JavaScript: nothing refers to it, so the linker leaves it out.
JSContext *engine_new_context(JSRuntime *runtime);

// The bytes of an ArrayBuffer, a typed array or a DataView. Returns 0 if `value` is something else.
// `bytes` is never null, also not for an empty or detached one.
int engine_bytes(JSValueConst value, uint8_t **bytes, size_t *length);

int engine_is_uncatchable(JSContext *context, JSValueConst error);

// The interpreter throws a RangeError before its stack reaches this address.
void engine_set_stack_limit(JSRuntime *runtime, uintptr_t lowest);

// Frees the code of evaluated modules, which is never run again.
void engine_forget_modules(JSContext *context);

// Clears what differs from one run to the next: stack addresses, the seed of Math.random().
void engine_prepare_image(JSContext *context);

// New at each start: the seed of Math.random(), and the key of the hashes of strings.
void engine_seed(JSContext *context, uint64_t random, uint64_t hash_key);
#endif
