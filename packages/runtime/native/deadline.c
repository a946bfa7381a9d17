// Ends a loop or a regular expression that exceeds the deadline. The engine calls a handler regularly and stops if the
// handler says so.
#include "host.h"
#include <poll.h>
#include <time.h>

// Nanoseconds until an unread signal interrupts the running code.
#define SIGNAL_PATIENCE 1000000000ull
// Nanoseconds for the code after an interruption: timers and the error document.
#define GRACE 2000000000ull
// Calls of the handler between two looks at the descriptor: each look is a system call.
#define QUESTIONS_PER_LOOK 16

static uint64_t deadline; // 0: no deadline
static int signal_descriptor = -1;
static uint64_t signal_seen;
static unsigned questions;

uint64_t monotonic_ns(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

static int signal_waits(uint64_t now) {
  if (signal_descriptor < 0 || ++questions % QUESTIONS_PER_LOOK != 0) return 0;
  struct pollfd descriptor = {signal_descriptor, POLLIN, 0};
  if (poll(&descriptor, 1, 0) != 1) {
    signal_seen = 0;
    return 0;
  }
  if (signal_seen == 0) signal_seen = now;
  return now - signal_seen > SIGNAL_PATIENCE;
}

int deadline_is_over(void) { return deadline != 0 && monotonic_ns() >= deadline; }

static int must_stop(JSRuntime *runtime, void *opaque) {
  if (deadline == 0 && signal_descriptor < 0) return 0;
  uint64_t now = monotonic_ns();
  if (!(deadline != 0 && now >= deadline) && !signal_waits(now)) return 0;
  deadline = now + GRACE;
  signal_seen = now + GRACE;
  return 1;
}

void deadline_install(JSRuntime *runtime) { JS_SetInterruptHandler(runtime, must_stop, 0); }

JSValue host_set_deadline(JSContext *context, JSValueConst this_value, int count, JSValueConst *values) {
  double ms = 0;
  int descriptor = -1;
  if (!JS_IsNumber(values[0]) || JS_ToFloat64(context, &ms, values[0]) < 0 || !(ms >= 0)) {
    return JS_ThrowTypeError(context, "setDeadline: expected milliseconds from now, or 0");
  }
  if (JS_IsNumber(values[1]) && JS_ToInt32(context, &descriptor, values[1]) < 0) return JS_EXCEPTION;
  deadline = ms == 0 || ms > 1e12 ? 0 : monotonic_ns() + (uint64_t)(ms * 1e6);
  signal_descriptor = descriptor;
  signal_seen = 0;
  return JS_UNDEFINED;
}
