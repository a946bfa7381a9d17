// Converts strings of the engine to UTF-8 and back.
#include "host.h"
#include "utf8.h"
#include <string.h>

const char *text_of(JSContext *context, size_t *length, JSValueConst string) {
  const char *text = JS_ToCStringLen(context, length, string);
  // Only a copy can contain surrogates. The text of an ASCII string is the string itself and must not be modified.
  if (text && utf8_has_surrogates((const uint8_t *)text, *length)) utf8_replace_surrogates((uint8_t *)text, *length);
  return text;
}

JSValue text_new(JSContext *context, const uint8_t *bytes, size_t length) {
  if (utf8_valid(bytes, length) == length) return JS_NewStringLen(context, (const char *)bytes, length);
  size_t size = utf8_repair(bytes, length, 0);
  uint8_t *repaired = js_malloc(context, size);
  if (!repaired) return JS_EXCEPTION;
  utf8_repair(bytes, length, repaired);
  JSValue string = JS_NewStringLen(context, (const char *)repaired, size);
  js_free(context, repaired);
  return string;
}

JSValue text_bytes(JSContext *context, const char *bytes, size_t length) {
  JSValue buffer = JS_NewArrayBufferCopy(context, (const uint8_t *)bytes, length);
  if (JS_IsException(buffer)) return buffer;
  // JS_NewTypedArray always reads three arguments.
  JSValueConst parts[3] = {buffer, JS_UNDEFINED, JS_UNDEFINED};
  JSValue view = JS_NewTypedArray(context, 3, parts, JS_TYPED_ARRAY_UINT8);
  JS_FreeValue(context, buffer);
  return view;
}

static JSValue encode(JSContext *context, JSValueConst this_value, int count, JSValueConst *values) {
  if (!JS_IsString(values[0])) return JS_ThrowTypeError(context, "encode: expected a string");
  size_t length;
  const char *text = text_of(context, &length, values[0]);
  if (!text) return JS_EXCEPTION;
  JSValue bytes = text_bytes(context, text, length);
  JS_FreeCString(context, text);
  return bytes;
}

static JSValue encode_into(JSContext *context, JSValueConst this_value, int count, JSValueConst *values) {
  uint8_t *target;
  size_t room;
  if (!JS_IsString(values[0]) || !engine_bytes(values[1], &target, &room)) {
    return JS_ThrowTypeError(context, "encodeInto: expected a string and a view");
  }
  size_t length;
  const char *text = text_of(context, &length, values[0]);
  if (!text) return JS_EXCEPTION;
  Utf8Prefix fits = utf8_prefix((const uint8_t *)text, length, room);
  memcpy(target, text, fits.bytes);
  JS_FreeCString(context, text);
  JSValue result = JS_NewObject(context);
  if (JS_IsException(result)) return result;
  JS_DefinePropertyValueStr(context, result, "read", JS_NewInt64(context, (int64_t)fits.units), JS_PROP_C_W_E);
  JS_DefinePropertyValueStr(context, result, "written", JS_NewInt64(context, (int64_t)fits.bytes), JS_PROP_C_W_E);
  return result;
}

// Reads an offset into `length` bytes; for undefined it is `otherwise`. Returns 0 and throws if the value is not a
// number.
static int offset_of(JSContext *context, JSValueConst value, size_t length, size_t otherwise, size_t *offset) {
  *offset = otherwise;
  if (JS_IsUndefined(value)) return 1;
  if (!JS_IsNumber(value)) {
    JS_ThrowTypeError(context, "expected an offset, a number");
    return 0;
  }
  double number;
  if (JS_ToFloat64(context, &number, value) < 0) return 0;
  *offset = number >= (double)length ? length : number > 0 ? (size_t)number : 0;
  return 1;
}

static JSValue decode(JSContext *context, JSValueConst this_value, int count, JSValueConst *values) {
  uint8_t *bytes;
  size_t length;
  size_t start;
  size_t end;
  if (!engine_bytes(values[0], &bytes, &length)) return JS_ThrowTypeError(context, "decode: expected a view");
  if (!offset_of(context, values[1], length, 0, &start)) return JS_EXCEPTION;
  if (!offset_of(context, values[2], length, length, &end)) return JS_EXCEPTION;
  if (end < start) end = start;
  if (JS_ToBool(context, values[3]) && utf8_valid(bytes + start, end - start) != end - start) {
    return JS_ThrowTypeError(context, "The encoded data was not valid for encoding utf-8");
  }
  return text_new(context, bytes + start, end - start);
}

static JSValue find(JSContext *context, JSValueConst this_value, int count, JSValueConst *values) {
  uint8_t *bytes;
  uint8_t *needle;
  size_t length;
  size_t needle_length;
  size_t from;
  if (!engine_bytes(values[0], &bytes, &length) || !engine_bytes(values[1], &needle, &needle_length)) {
    return JS_ThrowTypeError(context, "find: expected two views");
  }
  if (!offset_of(context, values[2], length, 0, &from)) return JS_EXCEPTION;
  const uint8_t *found = memmem(bytes + from, length - from, needle, needle_length);
  return JS_NewInt64(context, found ? found - bytes : -1);
}

// Minimum numbers of arguments: the engine passes undefined for missing ones.
const JSCFunctionListEntry text_functions[] = {
    JS_CFUNC_DEF("encode", 1, encode),
    JS_CFUNC_DEF("encodeInto", 2, encode_into),
    JS_CFUNC_DEF("decode", 4, decode),
    JS_CFUNC_DEF("find", 3, find),
};
const int text_function_count = sizeof text_functions / sizeof text_functions[0];
