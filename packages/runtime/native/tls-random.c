#include "tls.h"
#include <psa/crypto.h>
#include <sys/random.h>

int tls_random(void *unused, unsigned char *bytes, size_t length) {
  while (length > 0) {
    ssize_t count = getrandom(bytes, length, 0);
    if (count <= 0) return PSA_ERROR_INSUFFICIENT_ENTROPY;
    bytes += count;
    length -= (size_t)count;
  }
  return 0;
}

psa_status_t mbedtls_psa_external_get_random(mbedtls_psa_external_random_context_t *unused, uint8_t *bytes, size_t size,
                                             size_t *length) {
  *length = size;
  return tls_random(0, bytes, size);
}
