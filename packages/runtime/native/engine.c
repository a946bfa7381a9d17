// Includes the edited source of the engine. The edits are in scripts/lib/runtime/*-edits.ts.
#include "quickjs.c"
#include "engine.h"

uintptr_t engine_image_end;

JSContext *engine_new_context(JSRuntime *runtime) {
  JSContext *context = JS_NewContextRaw(runtime);
  if (!context) return 0;
  JS_AddIntrinsicBaseObjects(context);
  JS_AddIntrinsicDate(context);
  JS_AddIntrinsicStringNormalize(context);
  JS_AddIntrinsicRegExp(context);
  JS_AddIntrinsicJSON(context);
  JS_AddIntrinsicProxy(context);
  JS_AddIntrinsicMapSet(context);
  JS_AddIntrinsicTypedArrays(context);
  JS_AddIntrinsicPromise(context);
  JS_AddIntrinsicWeakRef(context);
  return context;
}

int engine_bytes(JSValueConst value, uint8_t **bytes, size_t *length) {
  static uint8_t nothing[16];
  if (JS_VALUE_GET_TAG(value) != JS_TAG_OBJECT) return 0;
  JSObject *object = JS_VALUE_GET_OBJ(value);
  size_t offset = 0;
  size_t size = 0;
  JSArrayBuffer *buffer;
  if (object->class_id == JS_CLASS_ARRAY_BUFFER || object->class_id == JS_CLASS_SHARED_ARRAY_BUFFER) {
    buffer = object->u.array_buffer;
    size = (size_t)buffer->byte_length;
  } else if (object->class_id >= JS_CLASS_UINT8C_ARRAY && object->class_id <= JS_CLASS_DATAVIEW) {
    JSTypedArray *view = object->u.typed_array;
    buffer = view->buffer->u.array_buffer;
    offset = view->offset;
    size = view->length;
  } else {
    return 0;
  }
  if (!buffer || buffer->detached || !buffer->data) size = offset = 0;
  *bytes = size == 0 ? nothing : buffer->data + offset;
  *length = size;
  return 1;
}

int engine_is_uncatchable(JSContext *context, JSValueConst error) { return JS_IsUncatchableError(context, error); }

void engine_set_stack_limit(JSRuntime *runtime, uintptr_t lowest) { runtime->stack_limit = lowest; }

void engine_forget_modules(JSContext *context) {
  struct list_head *each;
  list_for_each(each, &context->loaded_modules) {
    JSModuleDef *module = list_entry(each, JSModuleDef, link);
    JS_FreeValue(context, module->func_obj);
    module->func_obj = JS_UNDEFINED;
  }
}

void engine_prepare_image(JSContext *context) {
  JSRuntime *runtime = JS_GetRuntime(context);
  runtime->stack_top = 0;
  runtime->stack_limit = 0;
  context->random_state = 1;
  context->interrupt_counter = JS_INTERRUPT_COUNTER_INIT;
}

void engine_seed(JSContext *context, uint64_t random, uint64_t hash_key) {
  context->random_state = random == 0 ? 1 : random;
  string_hash_key = (hash_key & (((uint64_t)1 << 61) - 1)) | 1;
}
