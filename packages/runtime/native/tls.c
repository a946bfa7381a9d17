// tls(network, plain, authorities, certificate, key, name, address, insecure): returns the process id of the child, or
// -errno. The child is forked without exec: it needs no file, no /proc and no copy of the certificates.
#include "tls.h"
#include "host.h"
#include <errno.h>
#include <string.h>
#include <unistd.h>

enum { TEXTS = 4 };

// Converts a string; any other value gives 0. Returns 0 after an exception.
static int text(JSContext *context, JSValueConst value, const char **result) {
  size_t length;
  *result = 0;
  if (!JS_IsString(value)) return 1;
  *result = text_of(context, &length, value);
  if (!*result) return 0;
  if (strlen(*result) == length) return 1;
  JS_ThrowTypeError(context, "tls: a NUL character");
  return 0;
}

JSValue host_tls(JSContext *context, JSValueConst this_value, int count, JSValueConst *values) {
  if (refuse(context, "TLS")) return JS_EXCEPTION;
  TlsJob job = {.insecure = JS_ToBool(context, values[7]), .parent = getpid()};
  const char **texts[TEXTS] = {&job.authorities, &job.certificate, &job.key, &job.name};
  uint8_t *address;
  if (engine_bytes(values[6], &address, &job.address_length)) job.address = address;
  int converted = JS_ToInt32(context, &job.network, values[0]) == 0 && JS_ToInt32(context, &job.plain, values[1]) == 0;
  for (int i = 0; i < TEXTS && converted; i++) converted = text(context, values[2 + i], texts[i]);
  int pid = 0;
  if (converted) {
    pid = fork();
    if (pid == 0) tls_child(&job);
    if (pid < 0) pid = -errno;
  }
  for (int i = 0; i < TEXTS; i++) {
    if (*texts[i]) JS_FreeCString(context, *texts[i]);
  }
  return converted ? JS_NewInt32(context, pid) : JS_EXCEPTION;
}
