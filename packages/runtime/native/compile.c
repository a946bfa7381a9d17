// cni-compile IN.js OUT.bytecode: compiles a module to bytecode. Only this program contains the parser.
#include "bytecode.h"
#include "files.h"
#include "note.h"
#include "quickjs.h"
#include <errno.h>
#include <stdio.h>
#include <string.h>

static int fail(const char *path) {
  fprintf(stderr, "cni-compile: %s: %s\n", path, strerror(errno));
  return 1;
}

// The engine puts the place of a syntax error into the first line of its stack: " at FILE:LINE:COLUMN".
static int fail_to_compile(JSContext *context, const char *path) {
  JSValue error = JS_GetException(context);
  JSValue stack = JS_GetPropertyStr(context, error, "stack");
  const char *text = JS_ToCString(context, error);
  const char *lines = JS_ToCString(context, stack);
  const char *place = lines ? strstr(lines, "at ") : 0;
  if (place) fprintf(stderr, "%.*s: %s\n", (int)strcspn(place + 3, "\n"), place + 3, text ? text : "error");
  else fprintf(stderr, "%s: %s\n", path, text ? text : "error");
  return 1;
}

// A program is one module. An import is an error here, because it would otherwise fail when the program starts.
static JSModuleDef *no_import(JSContext *context, const char *name, void *opaque) {
  JS_ThrowSyntaxError(context, "the import of \"%s\" is not bundled", name);
  return 0;
}

int main(int count, char **values) {
  if (count != 3) {
    fprintf(stderr, "usage: cni-compile IN.js OUT.bytecode\n");
    return 2;
  }
  size_t size;
  // The parser expects a NUL after the source.
  const uint8_t *source = file_read(values[1], 1, &size);
  if (!source) return fail(values[1]);
  JSRuntime *runtime = JS_NewRuntime();
  JSContext *context = runtime ? JS_NewContext(runtime) : 0;
  if (!context) return fail("no memory");
  JS_SetMaxStackSize(runtime, 4u << 20);
  JS_SetStripInfo(runtime, JS_STRIP_SOURCE);
  JS_SetModuleLoaderFunc(runtime, 0, no_import, 0);
  JSValue module = JS_Eval(context, (const char *)source, size, values[1], JS_EVAL_TYPE_MODULE | JS_EVAL_FLAG_COMPILE_ONLY);
  if (JS_IsException(module)) return fail_to_compile(context, values[1]);
  size_t length;
  const uint8_t *bytecode = JS_WriteObject(context, &length, module, JS_WRITE_OBJ_BYTECODE);
  if (!bytecode) return fail_to_compile(context, values[1]);
  BytecodeHeader header = {.magic = BYTECODE_MAGIC, .build = CNI_BUILD, .length = length};
  Piece pieces[] = {{&header, sizeof header}, {bytecode, length}};
  return file_write(values[2], 0644, pieces, 2) ? 0 : fail(values[2]);
}
