// The host object. The platform's first module finds it as globalThis.__host.
#include "host.h"
#include "note.h"
#include <string.h>

State *state;
int snapshotting;
int argument_count;
char **arguments;
char **environment;

static JSValue args(JSContext *context, JSValueConst this_value, int count, JSValueConst *values) {
  if (refuse(context, "the list of arguments")) return JS_EXCEPTION;
  JSValue list = JS_NewArray(context);
  for (int i = 0; i < argument_count && !JS_IsException(list); i++) {
    JSValue text = text_new(context, (const uint8_t *)arguments[i], strlen(arguments[i]));
    if (JS_IsException(text) || JS_DefinePropertyValueUint32(context, list, (uint32_t)i, text, JS_PROP_C_W_E) < 0) {
      JS_FreeValue(context, list);
      list = JS_EXCEPTION;
    }
  }
  return list;
}

// Adds NAME=value unless the name exists: like getenv(), the first value wins. Returns 0 after an exception.
static int add_variable(JSContext *context, JSValueConst variables, const char *variable, const char *equals) {
  JSValue name = text_new(context, (const uint8_t *)variable, (size_t)(equals - variable));
  JSAtom atom = JS_IsException(name) ? JS_ATOM_NULL : JS_ValueToAtom(context, name);
  JS_FreeValue(context, name);
  if (atom == JS_ATOM_NULL) return 0;
  int done = JS_GetOwnProperty(context, 0, variables, atom);
  if (done == 0) {
    JSValue value = text_new(context, (const uint8_t *)equals + 1, strlen(equals + 1));
    done = JS_IsException(value) ? -1 : JS_DefinePropertyValue(context, variables, atom, value, JS_PROP_C_W_E);
  }
  JS_FreeAtom(context, atom);
  return done >= 0;
}

static JSValue env(JSContext *context, JSValueConst this_value, int count, JSValueConst *values) {
  if (refuse(context, "the environment")) return JS_EXCEPTION;
  JSValue variables = JS_NewObjectProto(context, JS_NULL);
  if (JS_IsException(variables)) return variables;
  for (char **variable = environment; *variable; variable++) {
    const char *equals = strchr(*variable, '=');
    if (!equals || add_variable(context, variables, *variable, equals)) continue;
    JS_FreeValue(context, variables);
    return JS_EXCEPTION;
  }
  return variables;
}

static JSValue now(JSContext *context, JSValueConst this_value, int count, JSValueConst *values) {
  if (refuse(context, "the clock")) return JS_EXCEPTION;
  return JS_NewFloat64(context, (double)monotonic_ns() / 1e6);
}

static JSValue is_snapshotting(JSContext *context, JSValueConst this_value, int count, JSValueConst *values) {
  return JS_NewBool(context, snapshotting);
}

static JSValue on_reject(JSContext *context, JSValueConst this_value, int count, JSValueConst *values) {
  if (!JS_IsFunction(context, values[0])) return JS_ThrowTypeError(context, "onReject: expected a function");
  JS_FreeValue(context, state->on_reject);
  state->on_reject = JS_DupValue(context, values[0]);
  return JS_UNDEFINED;
}

static void report_rejection(JSContext *context, JSValueConst promise, JSValueConst reason, JS_BOOL handled, void *opaque) {
  if (JS_IsUndefined(state->on_reject)) return;
  JSValueConst values[3] = {promise, reason, JS_NewBool(context, handled)};
  JSValue result = JS_Call(context, state->on_reject, JS_UNDEFINED, 3, values);
  // The engine cannot propagate an exception from here.
  if (JS_IsException(result)) JS_FreeValue(context, JS_GetException(context));
  JS_FreeValue(context, result);
}

static const JSCFunctionListEntry versions[] = {
    JS_PROP_STRING_DEF("runtime", CNI_VERSION, JS_PROP_ENUMERABLE),
    JS_PROP_STRING_DEF("quickjs", CNI_QUICKJS, JS_PROP_ENUMERABLE),
};

static const JSCFunctionListEntry functions[] = {
    JS_CFUNC_DEF("syscall", 7, host_syscall),
    JS_CFUNC_DEF("address", 1, host_address),
    JS_CFUNC_DEF("spawn", 5, host_spawn),
    JS_CFUNC_DEF("setDeadline", 2, host_set_deadline),
    JS_CFUNC_DEF("args", 0, args),
    JS_CFUNC_DEF("env", 0, env),
    JS_CFUNC_DEF("now", 0, now),
    JS_CFUNC_DEF("snapshotting", 0, is_snapshotting),
    JS_CFUNC_DEF("onReject", 1, on_reject),
    JS_PROP_STRING_DEF("arch", HOST_ARCH, JS_PROP_ENUMERABLE),
    JS_OBJECT_DEF("versions", versions, 2, JS_PROP_ENUMERABLE),
};

int host_create(const JSMallocFunctions *memory, void *opaque) {
  state->runtime = JS_NewRuntime2(memory, opaque);
  state->context = state->runtime ? engine_new_context(state->runtime) : 0;
  if (!state->context) return 0;
  JSContext *context = state->context;
  JS_SetMemoryLimit(state->runtime, MEMORY_LIMIT);
  // A plugin call allocates less than this and never collects garbage. A longer process collects as its heap grows.
  JS_SetGCThreshold(state->runtime, 64u << 20);
  JS_SetCanBlock(state->runtime, 1);
  JS_SetHostPromiseRejectionTracker(state->runtime, report_rejection, 0);
  deadline_install(state->runtime);
  state->on_reject = JS_UNDEFINED;
  state->host = JS_NewObject(context);
  if (JS_IsException(state->host)) return 0;
  JS_SetPropertyFunctionList(context, state->host, functions, sizeof functions / sizeof functions[0]);
  JS_SetPropertyFunctionList(context, state->host, text_functions, text_function_count);
  JS_SetPropertyFunctionList(context, state->host, base64_functions, base64_function_count);
  // Only cni-runtime-tls has this function.
  if (host_tls) JS_SetPropertyStr(context, state->host, "tls", JS_NewCFunction(context, host_tls, "tls", 8));
  JSValue global = JS_GetGlobalObject(context);
  int defined = JS_SetPropertyStr(context, global, "__host", JS_DupValue(context, state->host));
  JS_FreeValue(context, global);
  return defined >= 0;
}
