// State that the parts of the host share.
#ifndef CNI_HOST_H
#define CNI_HOST_H
#include "arena.h"
#include "engine.h"

#ifdef __x86_64__
#define HOST_ARCH "x64"
#else
#define HOST_ARCH "arm64"
#endif

// The engine's heap is an image: everything that outlives the build must be in it, also the host's own state, which is
// therefore at its beginning. C variables begin anew at each start.
typedef struct {
  char magic[8];
  char build[24];  // of the program that made it
  uint64_t length; // of the image
  Arena arena;
  JSRuntime *runtime;
  JSContext *context;
  JSValue host;      // globalThis.__host
  JSValue on_reject; // undefined: rejections are not reported
} State;

#define IMAGE_MAGIC "cni-img\1"
// The last 8 bytes of the image: a file that is cut off has zeros or nothing there.
#define IMAGE_END "cni-end."
enum { IMAGE_END_SIZE = sizeof IMAGE_END - 1 };
extern State *state;

// True while the module is evaluated and the image made.
extern int snapshotting;
extern int argument_count;
extern char **arguments;
extern char **environment;

// host.c: a context with globalThis.__host, in memory that `state` points to. Returns 0 without memory.
int host_create(const JSMallocFunctions *memory, void *opaque);

// arena-memory.c
extern const JSMallocFunctions arena_memory;
#define MEMORY_LIMIT (512ul << 20)

// text.c: strings are UTF-8 as the WHATWG Encoding Standard has it. Free with JS_FreeCString. 0: an exception is thrown.
const char *text_of(JSContext *context, size_t *length, JSValueConst string);
JSValue text_new(JSContext *context, const uint8_t *bytes, size_t length);
JSValue text_bytes(JSContext *context, const char *bytes, size_t length);
extern const JSCFunctionListEntry text_functions[];
extern const int text_function_count;

// base64.c
extern const JSCFunctionListEntry base64_functions[];
extern const int base64_function_count;

// The members that the other files give to the host object.
JSValue host_syscall(JSContext *context, JSValueConst this_value, int count, JSValueConst *values);
JSValue host_address(JSContext *context, JSValueConst this_value, int count, JSValueConst *values);
JSValue host_spawn(JSContext *context, JSValueConst this_value, int count, JSValueConst *values);
__attribute__((weak)) JSValue host_tls(JSContext *context, JSValueConst this_value, int count, JSValueConst *values);
JSValue host_set_deadline(JSContext *context, JSValueConst this_value, int count, JSValueConst *values);

// refuse.c: throws an error that no code can catch while the image is made. Returns 1 if it did.
int refuse(JSContext *context, const char *what);
int refuse_syscall(JSContext *context, long number);
// The first refusal, with its stack; 0: there was none. An asynchronous function may have swallowed the error.
const char *refused(void);

// deadline.c
void deadline_install(JSRuntime *runtime);
int deadline_is_over(void);
uint64_t monotonic_ns(void);

// run.c
// Runs jobs until none is left. Returns 0 after an exception, which is still pending.
int run_jobs(JSContext *context);
// Calls host.boot and host.main, then host.loop until it returns false. Does not return.
_Noreturn void run_program(void);

// say.c: a sentence to stderr, after the name of the program.
void say(const char *const *words);
#define SAY(...) say((const char *const[]){__VA_ARGS__, 0})
_Noreturn void fail_with_exception(JSContext *context);
// The text of an exception, with its stack. Free with JS_FreeCString; may be 0.
void say_exception(JSContext *context, JSValueConst error);
#endif
