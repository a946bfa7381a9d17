// spawn(file, argv, env, descriptors, cwd): starts a program in a process group of its own.
#include "host.h"
#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

enum { MAX_DESCRIPTORS = 256, CHILD_STACK = 32768 };

typedef struct {
  const char *file;
  const char *cwd; // 0: unchanged
  char **arguments;
  char **environment;
  int descriptors[MAX_DESCRIPTORS];
  int count;
  volatile int error; // errno of the child, which shares this memory until it executes the program
} Program;

// From here on only system calls are safe: the child uses the parent's memory while the parent waits.

static void default_signals(void) {
  struct sigaction standard = {.sa_handler = SIG_DFL};
  for (int signal = 1; signal < 65; signal++) sigaction(signal, &standard, 0);
  sigset_t none;
  sigemptyset(&none);
  sigprocmask(SIG_SETMASK, &none, 0);
}

static int place_descriptors(Program *program) {
  // Duplicates source descriptors that another would overwrite.
  for (int i = 0; i < program->count; i++) {
    int from = program->descriptors[i];
    if (from == i || from >= program->count) continue;
    program->descriptors[i] = fcntl(from, F_DUPFD_CLOEXEC, program->count);
    if (program->descriptors[i] < 0) return -1;
  }
  for (int i = 0; i < program->count; i++) {
    int from = program->descriptors[i];
    if (from == i ? fcntl(i, F_SETFD, 0) < 0 : dup2(from, i) < 0) return -1;
  }
  return 0;
}

static int child(void *opaque) {
  Program *program = opaque;
  setpgid(0, 0);
  default_signals();
  if (place_descriptors(program) == 0 && (!program->cwd || chdir(program->cwd) == 0)) {
    execve(program->file, program->arguments, program->environment);
  }
  program->error = errno;
  _exit(127);
}

static int start(Program *program) {
  char stack[CHILD_STACK] __attribute__((aligned(16)));
  // The child must not run handlers of the parent: all signals are blocked until the child sets its own mask.
  sigset_t all;
  sigset_t before;
  sigfillset(&all);
  sigprocmask(SIG_SETMASK, &all, &before);
  int pid = clone(child, stack + CHILD_STACK, CLONE_VM | CLONE_VFORK | SIGCHLD, program);
  int error = pid < 0 ? errno : program->error;
  if (pid > 0 && error != 0) {
    while (waitpid(pid, 0, 0) < 0 && errno == EINTR) continue;
  }
  sigprocmask(SIG_SETMASK, &before, 0);
  return error != 0 ? -error : pid;
}

// Arguments of spawn() as C values. `invalid` is set if a string contains a NUL.
typedef struct {
  JSContext *context;
  int invalid;
} Conversion;

static const char *string(Conversion *conversion, JSValueConst value) {
  size_t length;
  if (!JS_IsString(value)) {
    JS_ThrowTypeError(conversion->context, "spawn: expected a string");
    return 0;
  }
  const char *text = text_of(conversion->context, &length, value);
  if (text && strlen(text) != length) conversion->invalid = 1;
  return text;
}

static int length_of(JSContext *context, JSValueConst list, int64_t most, int64_t *length) {
  if (!JS_IsArray(context, list)) {
    JS_ThrowTypeError(context, "spawn: expected an array");
    return 0;
  }
  JSValue count = JS_GetPropertyStr(context, list, "length");
  if (JS_IsException(count) || JS_ToInt64(context, length, count) < 0) return 0;
  if (*length <= most) return 1;
  JS_ThrowTypeError(context, "spawn: an array of %lld, more than %lld", (long long)*length, (long long)most);
  return 0;
}

static void free_strings(JSContext *context, char **strings) {
  if (!strings) return;
  for (char **each = strings; *each; each++) JS_FreeCString(context, *each);
  js_free(context, strings);
}

static char **strings_of(Conversion *conversion, JSValueConst list) {
  JSContext *context = conversion->context;
  int64_t length;
  if (!length_of(context, list, 1 << 20, &length)) return 0;
  char **strings = js_mallocz(context, sizeof(char *) * (size_t)(length + 1));
  for (int64_t i = 0; strings && i < length; i++) {
    JSValue each = JS_GetPropertyUint32(context, list, (uint32_t)i);
    strings[i] = (char *)(JS_IsException(each) ? 0 : string(conversion, each));
    JS_FreeValue(context, each);
    if (strings[i]) continue;
    free_strings(context, strings);
    return 0;
  }
  return strings;
}

static int descriptors_of(JSContext *context, JSValueConst list, Program *program) {
  int64_t length;
  if (!length_of(context, list, MAX_DESCRIPTORS, &length)) return 0;
  for (program->count = 0; program->count < length; program->count++) {
    int *descriptor = &program->descriptors[program->count];
    JSValue each = JS_GetPropertyUint32(context, list, (uint32_t)program->count);
    int bad = !JS_IsNumber(each) || JS_ToInt32(context, descriptor, each) < 0 || *descriptor < 0;
    JS_FreeValue(context, each);
    if (!bad) continue;
    JS_ThrowTypeError(context, "spawn: descriptor %d is none", program->count);
    return 0;
  }
  return 1;
}

JSValue host_spawn(JSContext *context, JSValueConst this_value, int count, JSValueConst *values) {
  if (refuse(context, "spawn")) return JS_EXCEPTION;
  Conversion conversion = {context, 0};
  Program program = {.file = string(&conversion, values[0])};
  int converted = program.file != 0;
  if (converted) converted = (program.arguments = strings_of(&conversion, values[1])) != 0;
  if (converted) converted = (program.environment = strings_of(&conversion, values[2])) != 0;
  if (converted) converted = descriptors_of(context, values[3], &program);
  if (converted && !JS_IsUndefined(values[4]) && !JS_IsNull(values[4])) {
    converted = (program.cwd = string(&conversion, values[4])) != 0;
  }
  int result = converted ? (conversion.invalid ? -EINVAL : start(&program)) : 0;
  if (program.cwd) JS_FreeCString(context, program.cwd);
  free_strings(context, program.environment);
  free_strings(context, program.arguments);
  if (program.file) JS_FreeCString(context, program.file);
  return converted ? JS_NewInt32(context, result) : JS_EXCEPTION;
}
