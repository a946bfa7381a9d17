// Base64 (RFC 4648), read and written as by Node's Buffer.
#include "host.h"

static const char letters[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789";

// Value of a character of either alphabet, -1 for any other character.
static int value_of(uint8_t letter) {
  if (letter >= 'A' && letter <= 'Z') return letter - 'A';
  if (letter >= 'a' && letter <= 'z') return letter - 'a' + 26;
  if (letter >= '0' && letter <= '9') return letter - '0' + 52;
  if (letter == '+' || letter == '-') return 62;
  return letter == '/' || letter == '_' ? 63 : -1;
}

// Decodes up to the first '='. Skips characters outside the alphabet.
static size_t decode(const char *text, size_t length, uint8_t *bytes) {
  size_t made = 0;
  uint32_t bits = 0;
  int count = 0;
  for (size_t at = 0; at < length && text[at] != '='; at++) {
    int value = value_of((uint8_t)text[at]);
    if (value < 0) continue;
    bits = bits << 6 | (uint32_t)value;
    count += 6;
    if (count < 8) continue;
    count -= 8;
    bytes[made++] = (uint8_t)(bits >> count);
  }
  return made;
}

static JSValue from_base64(JSContext *context, JSValueConst this_value, int count, JSValueConst *values) {
  if (!JS_IsString(values[0])) return JS_ThrowTypeError(context, "fromBase64: expected a string");
  size_t length;
  const char *text = text_of(context, &length, values[0]);
  if (!text) return JS_EXCEPTION;
  uint8_t *bytes = js_malloc(context, length / 4 * 3 + 3);
  JSValue made = JS_EXCEPTION;
  if (bytes) made = text_bytes(context, (const char *)bytes, decode(text, length, bytes));
  js_free(context, bytes);
  JS_FreeCString(context, text);
  return made;
}

static JSValue to_base64(JSContext *context, JSValueConst this_value, int count, JSValueConst *values) {
  uint8_t *bytes;
  size_t length;
  if (!engine_bytes(values[0], &bytes, &length)) return JS_ThrowTypeError(context, "toBase64: expected a view");
  int is_url = JS_ToBool(context, values[1]);
  char *text = js_malloc(context, length / 3 * 4 + 4);
  if (!text) return JS_EXCEPTION;
  size_t made = 0;
  for (size_t at = 0; at < length; at += 3) {
    size_t rest = length - at;
    uint32_t bits = (uint32_t)bytes[at] << 16;
    if (rest > 1) bits |= (uint32_t)bytes[at + 1] << 8;
    if (rest > 2) bits |= bytes[at + 2];
    for (size_t letter = 0; letter < 4; letter++) {
      uint32_t value = bits >> (18 - 6 * letter) & 63;
      if (letter <= rest) text[made++] = value < 62 ? letters[value] : "+/-_"[value - 62 + (is_url ? 2 : 0)];
      else if (!is_url) text[made++] = '=';
    }
  }
  JSValue string = JS_NewStringLen(context, text, made);
  js_free(context, text);
  return string;
}

const JSCFunctionListEntry base64_functions[] = {
    JS_CFUNC_DEF("fromBase64", 1, from_base64),
    JS_CFUNC_DEF("toBase64", 2, to_base64),
};
const int base64_function_count = sizeof base64_functions / sizeof base64_functions[0];
