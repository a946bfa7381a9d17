#include "host.h"
#include <string.h>
#include <unistd.h>

static void put(const char *text, size_t length) {
  while (length > 0) {
    ssize_t written = write(2, text, length);
    if (written <= 0) return; // stderr is closed: the message is lost
    text += written;
    length -= (size_t)written;
  }
}

void say(const char *const *words) {
  const char *name = argument_count > 0 ? strrchr(arguments[0], '/') : 0;
  name = name ? name + 1 : argument_count > 0 ? arguments[0] : "?";
  put(name, strlen(name));
  put(": ", 2);
  for (; *words; words++) put(*words, strlen(*words));
  put("\n", 1);
}

void say_exception(JSContext *context, JSValueConst error) {
  size_t length = 0;
  size_t stack_length = 0;
  const char *text = text_of(context, &length, error);
  if (!text) JS_FreeValue(context, JS_GetException(context));
  JSValue stack = JS_IsObject(error) ? JS_GetPropertyStr(context, error, "stack") : JS_UNDEFINED;
  if (JS_IsException(stack)) JS_FreeValue(context, JS_GetException(context));
  const char *lines = JS_IsString(stack) ? text_of(context, &stack_length, stack) : 0;
  // The platform's stacks begin with the error's text, the engine's stacks do not.
  int repeats = text && lines && strncmp(lines, text, length) == 0;
  if (!text) put("an error without a text", 23);
  else if (!repeats) put(text, length);
  if (lines && !repeats) put("\n", 1);
  if (lines) put(lines, stack_length);
  if (!lines || stack_length == 0 || lines[stack_length - 1] != '\n') put("\n", 1);
  if (text) JS_FreeCString(context, text);
  if (lines) JS_FreeCString(context, lines);
  JS_FreeValue(context, stack);
}

void fail_with_exception(JSContext *context) {
  JSValue error = JS_GetException(context);
  say_exception(context, error);
  _exit(1);
}
