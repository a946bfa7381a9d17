// A start of the program: boot, main, then jobs and the platform's loop until no work is left.
#include "host.h"
#include <unistd.h>

// Extra memory for the report of a crash after the memory limit.
#define CRASH_ROOM (16ul << 20)

// Calls a function of the host object. Returns an exception if the platform has not set it.
static JSValue call_member(JSContext *context, const char *name, int count, JSValueConst *values) {
  JSValue function = JS_GetPropertyStr(context, state->host, name);
  if (JS_IsException(function)) return function;
  JSValue result = JS_Call(context, function, JS_UNDEFINED, count, values);
  JS_FreeValue(context, function);
  return result;
}

// The platform prints the error and ends the process. It returns only from an interruption that it ignores.
static void crash(JSContext *context) {
  JSValue error = JS_GetException(context);
  JSValueConst values[2] = {error, engine_is_uncatchable(context, error) ? JS_TRUE : JS_FALSE};
  JS_SetUncatchableError(context, error, 0);
  JS_SetMemoryLimit(state->runtime, MEMORY_LIMIT + CRASH_ROOM);
  JSValue function = JS_GetPropertyStr(context, state->host, "crash");
  JSValue result = JS_Call(context, function, JS_UNDEFINED, 2, values);
  if (JS_IsException(result)) {
    JSValue second = JS_GetException(context);
    say_exception(context, error);
    if (JS_IsFunction(context, function)) say_exception(context, second);
    _exit(1);
  }
  JS_FreeValue(context, function);
  JS_FreeValue(context, result);
  JS_FreeValue(context, error);
  JS_SetMemoryLimit(state->runtime, MEMORY_LIMIT);
}

int run_jobs(JSContext *context) {
  JSContext *of_job;
  for (;;) {
    int ran = JS_ExecutePendingJob(JS_GetRuntime(context), &of_job);
    if (ran == 0) return 1;
    if (ran < 0) return 0;
    // After the deadline, jobs without end must not block timers and signals.
    if (deadline_is_over()) return 1;
  }
}

static int exit_code(JSContext *context) {
  int32_t code = 0;
  JSValue global = JS_GetGlobalObject(context);
  JSValue process = JS_GetPropertyStr(context, global, "process");
  JSValue value = JS_IsObject(process) ? JS_GetPropertyStr(context, process, "exitCode") : JS_UNDEFINED;
  if (!JS_IsUndefined(value) && JS_ToInt32(context, &code, value) < 0) code = 1;
  return code & 255;
}

void run_program(void) {
  JSContext *context = state->context;
  static const char *const first[] = {"boot", "main"};
  for (int i = 0; i < 2; i++) {
    JSValue result = call_member(context, first[i], 0, 0);
    if (JS_IsException(result)) crash(context);
    JS_FreeValue(context, result);
  }
  for (;;) {
    if (!run_jobs(context)) {
      crash(context);
      continue;
    }
    JSValueConst has_jobs = JS_NewBool(context, JS_IsJobPending(state->runtime));
    JSValue more = call_member(context, "loop", 1, &has_jobs);
    if (JS_IsException(more)) crash(context);
    else if (!JS_ToBool(context, more)) _exit(exit_code(context));
    JS_FreeValue(context, more);
  }
}
