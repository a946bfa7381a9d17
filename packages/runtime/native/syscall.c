// Converts values of JavaScript to arguments of a system call.
#include "host.h"
#include <errno.h>
#include <string.h>
#include <unistd.h>

enum { NUMBER_AND_ARGUMENTS = 7 };

typedef struct {
  long value;
  const char *text; // to be freed
} Argument;

// Converts a whole number of 64 bits, signed or unsigned. Converting any other number is undefined in C.
static int whole(double number, long *value) {
  if (number >= -0x1p63 && number < 0x1p63) *value = (long)number;
  else if (number >= 0x1p63 && number < 0x1p64) *value = (long)(unsigned long)number;
  else return 0;
  return number == __builtin_trunc(number);
}

static int throw_unfit(JSContext *context, int index) {
  JS_ThrowTypeError(context, "syscall: argument %d is not a whole number, a string, memory, null or undefined", index);
  return 0;
}

// Converts one argument. Returns 0 after an exception. Sets `invalid` if a string contains a NUL, which no path can.
static int convert(JSContext *context, JSValueConst given, int index, Argument *argument, int *invalid) {
  double number;
  int64_t big;
  size_t length;
  uint8_t *bytes;
  switch (JS_VALUE_GET_NORM_TAG(given)) {
  case JS_TAG_NULL:
  case JS_TAG_UNDEFINED:
    return 1;
  case JS_TAG_INT:
  case JS_TAG_BOOL:
    argument->value = JS_VALUE_GET_INT(given);
    return 1;
  case JS_TAG_FLOAT64:
    number = JS_VALUE_GET_FLOAT64(given);
    return whole(number, &argument->value) ? 1 : throw_unfit(context, index);
  case JS_TAG_SHORT_BIG_INT:
  case JS_TAG_BIG_INT:
    if (JS_ToBigInt64(context, &big, given) < 0) return 0;
    argument->value = big;
    return 1;
  case JS_TAG_STRING:
  case JS_TAG_STRING_ROPE:
    argument->text = text_of(context, &length, given);
    if (!argument->text) return 0;
    if (strlen(argument->text) != length) *invalid = 1;
    argument->value = (long)argument->text;
    return 1;
  case JS_TAG_OBJECT:
    if (!engine_bytes(given, &bytes, &length)) return throw_unfit(context, index);
    argument->value = (long)bytes;
    return 1;
  default:
    return throw_unfit(context, index);
  }
}

JSValue host_syscall(JSContext *context, JSValueConst this_value, int count, JSValueConst *values) {
  Argument arguments[NUMBER_AND_ARGUMENTS] = {0};
  int invalid = 0;
  int converted = 1;
  if (count > NUMBER_AND_ARGUMENTS) return JS_ThrowTypeError(context, "syscall: more than six arguments");
  for (int i = 0; i < count && converted; i++) converted = convert(context, values[i], i, &arguments[i], &invalid);
  long result = -EINVAL;
  if (converted && refuse_syscall(context, arguments[0].value)) converted = 0;
  if (converted && !invalid) {
    result = syscall(arguments[0].value, arguments[1].value, arguments[2].value, arguments[3].value,
                     arguments[4].value, arguments[5].value, arguments[6].value);
    if (result == -1) result = -errno;
  }
  for (int i = 0; i < NUMBER_AND_ARGUMENTS; i++) {
    if (arguments[i].text) JS_FreeCString(context, arguments[i].text);
  }
  return converted ? JS_NewInt64(context, result) : JS_EXCEPTION;
}

JSValue host_address(JSContext *context, JSValueConst this_value, int count, JSValueConst *values) {
  uint8_t *bytes;
  size_t length;
  if (!engine_bytes(values[0], &bytes, &length)) return JS_ThrowTypeError(context, "address: expected memory");
  return JS_NewInt64(context, (int64_t)(intptr_t)bytes);
}
