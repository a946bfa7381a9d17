// plain SCRIPT.js: runs the host with the parser, on the machine's malloc and without an image, for sanitizers.
#include "files.h"
#include "host.h"
#include <malloc.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

static void *allocate(JSMallocState *counts, size_t size) { return malloc(size); }
static void release(JSMallocState *counts, void *block) { free(block); }
static void *resize(JSMallocState *counts, void *block, size_t size) {
  if (size > 0) return realloc(block, size);
  free(block);
  return 0;
}
static size_t usable(const void *block) { return malloc_usable_size((void *)block); }

static JSValue detach(JSContext *context, JSValueConst this_value, int count, JSValueConst *values) {
  JS_DetachArrayBuffer(context, values[0]);
  return JS_UNDEFINED;
}

int main(int count, char **values) {
  static State plain;
  static const JSMallocFunctions memory = {allocate, release, resize, usable};
  state = &plain;
  argument_count = count;
  arguments = values;
  environment = environ;
  size_t size;
  const uint8_t *source = file_read(values[1], 1, &size);
  if (!source || !host_create(&memory, 0)) return 2;
  JS_AddIntrinsicEval(state->context);
  JS_SetPropertyStr(state->context, state->host, "detach", JS_NewCFunction(state->context, detach, "detach", 1));
  JSValue result = JS_Eval(state->context, (const char *)source, size, values[1], JS_EVAL_TYPE_GLOBAL);
  if (JS_IsException(result) || !run_jobs(state->context)) fail_with_exception(state->context);
  JS_FreeValue(state->context, result);
  JS_FreeValue(state->context, state->host);
  JS_FreeValue(state->context, state->on_reject);
  JS_RunGC(state->runtime);
  puts("done");
  return 0;
}
