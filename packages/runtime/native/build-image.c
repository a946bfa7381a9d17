// cni-runtime BYTECODE OUT: evaluates the module once and writes a copy of this program that contains the heap image.
#include "build-image.h"
#include "bytecode.h"
#include "files.h"
#include "host.h"
#include "image.h"
#include "note.h"
#include <errno.h>
#include <string.h>
#include <sys/auxv.h>
#include <unistd.h>

#define STOP(...) do { SAY(__VA_ARGS__); _exit(1); } while (0)

static JSValue read_module(JSContext *context, const char *path) {
  size_t size;
  const uint8_t *file = file_read(path, 0, &size);
  if (!file) STOP("cannot read ", path, ": ", strerror(errno));
  BytecodeHeader header;
  if (size < sizeof header) STOP(path, " is not bytecode of cni-compile");
  memcpy(&header, file, sizeof header);
  if (memcmp(header.magic, BYTECODE_MAGIC, sizeof header.magic) != 0) STOP(path, " is not bytecode of cni-compile");
  if (strncmp(header.build, CNI_BUILD, sizeof header.build) != 0) {
    STOP(path, " was made by another version of cni-compile: both programs must be of one package");
  }
  if (header.length != size - sizeof header) STOP(path, " is cut off or longer than it was");
  JSValue module = JS_ReadObject(context, file + sizeof header, header.length, JS_READ_OBJ_BYTECODE);
  if (JS_IsException(module)) fail_with_exception(context);
  if (JS_VALUE_GET_TAG(module) != JS_TAG_MODULE) STOP(path, " is not the bytecode of a module");
  return module;
}

// Runs jobs, then fails unless the promise is fulfilled.
static void settle(JSContext *context, JSValue promise, const char *what) {
  if (!run_jobs(context)) fail_with_exception(context);
  if (refused()) STOP(refused());
  if (JS_PromiseState(context, promise) == JS_PROMISE_REJECTED) {
    JS_Throw(context, JS_PromiseResult(context, promise));
    fail_with_exception(context);
  }
  if (JS_PromiseState(context, promise) == JS_PROMISE_PENDING) {
    STOP(what, " waits for something that only happens when the program runs");
  }
  JS_FreeValue(context, promise);
}

static void evaluate(JSContext *context, JSValue module) {
  if (JS_ResolveModule(context, module) < 0) fail_with_exception(context);
  JSValue promise = JS_EvalFunction(context, module);
  if (JS_IsException(promise)) {
    if (refused()) STOP(refused());
    fail_with_exception(context);
  }
  settle(context, promise, "await at the top level of a module");
  engine_forget_modules(context);
}

static void warm_up(JSContext *context) {
  JSValue warm = JS_GetPropertyStr(context, state->host, "warm");
  if (JS_IsFunction(context, warm)) {
    JSValue result = JS_Call(context, warm, JS_UNDEFINED, 0, 0);
    if (JS_IsException(result)) {
      if (refused()) STOP(refused());
      fail_with_exception(context);
    }
    if (JS_PromiseState(context, result) >= 0) settle(context, result, "the warm-up");
    else JS_FreeValue(context, result);
    if (!run_jobs(context)) fail_with_exception(context);
    if (refused()) STOP(refused());
  }
  JS_FreeValue(context, warm);
}

static void expect_function(JSContext *context, const char *name, const char *complaint) {
  JSValue function = JS_GetPropertyStr(context, state->host, name);
  if (!JS_IsFunction(context, function)) STOP(complaint);
  JS_FreeValue(context, function);
}

static void write_program(const char *path) {
  const char *own = (const char *)getauxval(AT_EXECFN);
  ImageSegment segment = {.address = ARENA_BASE, .length = state->length, .room = ARENA_ROOM, .align = ARENA_ALIGN};
  size_t size;
  uint8_t *elf = file_read(own, ARENA_ALIGN, &size);
  if (!elf) STOP("cannot read ", own, ": ", strerror(errno));
  const char *reason = image_add_segment(elf, size, &segment);
  if (reason) STOP("cannot add the image to ", own, ": ", reason);
  Piece pieces[] = {{elf, image_offset(size, &segment)}, {(const void *)ARENA_BASE, state->length}};
  if (!file_write(path, 0755, pieces, 2)) STOP("cannot write ", path, ": ", strerror(errno));
}

void build_image(const char *bytecode, const char *path) {
  static State *const at_base = (State *)ARENA_BASE;
  state = at_base;
  if (!arena_create(&state->arena, sizeof *state)) STOP("the addresses for the image are taken, or there is no memory");
  snapshotting = 1;
  if (!host_create(&arena_memory, &state->arena)) STOP("there is no memory");
  JSContext *context = state->context;
  evaluate(context, read_module(context, bytecode));
  expect_function(context, "loop", "the module is no program of this runtime: the platform is missing in it");
  expect_function(context, "main",
                  "the program registers no main function: call startupSnapshot.setDeserializeMainFunction of node:v8");
  warm_up(context);
  JS_RunGC(state->runtime);
  memcpy(state->magic, IMAGE_MAGIC, sizeof state->magic);
  strncpy(state->build, CNI_BUILD, sizeof state->build - 1);
  engine_prepare_image(context);
  state->length = arena_close(&state->arena, IMAGE_END_SIZE);
  if (state->length == 0) STOP("there is no memory");
  memcpy((char *)ARENA_BASE + state->length - IMAGE_END_SIZE, IMAGE_END, IMAGE_END_SIZE);
  write_program(path);
  _exit(0);
}
