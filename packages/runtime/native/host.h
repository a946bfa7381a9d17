// State that the files of the host share.
#ifndef CNI_HOST_H
#define CNI_HOST_H
#include "arena.h"
#include "engine.h"

#ifdef __x86_64__
#define HOST_ARCH "x64"
#else
#define HOST_ARCH "arm64"
#endif

// The engine's heap becomes the image. All state that must survive the build is in the heap, including this struct at
// its beginning. C variables are reset at each start.
typedef struct {
  char magic[8];
  char build[24];  // build id of the program that made the image
  uint64_t length; // length of the image
  Arena arena;
  JSRuntime *runtime;
  JSContext *context;
  JSValue host;      // globalThis.__host
  JSValue on_reject; // function that reports rejections; undefined: none
} State;

#define IMAGE_MAGIC "cni-img\1"
// Last 8 bytes of the image. In a truncated file they are zero or missing.
#define IMAGE_END "cni-end."
enum { IMAGE_END_SIZE = sizeof IMAGE_END - 1 };
extern State *state;

// True while the module is evaluated and the image is made.
extern int snapshotting;
extern int argument_count;
extern char **arguments;
extern char **environment;

// host.c: creates a context with globalThis.__host, in memory that `state` points to. Returns 0 if there is no memory.
int host_create(const JSMallocFunctions *memory, void *opaque);

// arena-memory.c
extern const JSMallocFunctions arena_memory;
#define MEMORY_LIMIT (512ul << 20)

// text.c: UTF-8 of a string by the WHATWG Encoding Standard. Free it with JS_FreeCString. 0 means that an exception is
// thrown.
const char *text_of(JSContext *context, size_t *length, JSValueConst string);
JSValue text_new(JSContext *context, const uint8_t *bytes, size_t length);
JSValue text_bytes(JSContext *context, const char *bytes, size_t length);
extern const JSCFunctionListEntry text_functions[];
extern const int text_function_count;

// base64.c
extern const JSCFunctionListEntry base64_functions[];
extern const int base64_function_count;

// Functions of the host object that other files define.
JSValue host_syscall(JSContext *context, JSValueConst this_value, int count, JSValueConst *values);
JSValue host_address(JSContext *context, JSValueConst this_value, int count, JSValueConst *values);
JSValue host_spawn(JSContext *context, JSValueConst this_value, int count, JSValueConst *values);
__attribute__((weak)) JSValue host_tls(JSContext *context, JSValueConst this_value, int count, JSValueConst *values);
JSValue host_set_deadline(JSContext *context, JSValueConst this_value, int count, JSValueConst *values);

// refuse.c: while the image is made, throws an error that code cannot catch. Returns 1 if it threw.
int refuse(JSContext *context, const char *what);
int refuse_syscall(JSContext *context, long number);
// First refusal with its stack, or 0. An asynchronous function may have swallowed the error itself.
const char *refused(void);

// deadline.c
void deadline_install(JSRuntime *runtime);
int deadline_is_over(void);
uint64_t monotonic_ns(void);

// run.c
// Runs all jobs. Returns 0 after an exception, which stays pending.
int run_jobs(JSContext *context);
// Calls host.boot, host.main, then host.loop until it returns false. Does not return.
_Noreturn void run_program(void);

// say.c: prints a message to stderr after the name of the program.
void say(const char *const *words);
#define SAY(...) say((const char *const[]){__VA_ARGS__, 0})
_Noreturn void fail_with_exception(JSContext *context);
// Text of an exception with its stack, or 0. Free it with JS_FreeCString.
void say_exception(JSContext *context, JSValueConst error);
#endif
