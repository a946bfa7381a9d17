#include "tls.h"
#include <mbedtls/x509_crt.h>
#include <string.h>

enum { NAME_OF_ADDRESS = 7 }; // iPAddress in RFC 5280, 4.2.1.6

static uint16_t copy_name(uint8_t *to, const mbedtls_x509_buf *name) {
  if (name->len > TLS_NAME) return 0;
  memcpy(to, name->p, name->len);
  return (uint16_t)name->len;
}

static int is_for_address(const mbedtls_x509_crt *certificate, const uint8_t *address, size_t length) {
  for (const mbedtls_x509_sequence *name = &certificate->subject_alt_names; name; name = name->next) {
    int is_address = (name->buf.tag & MBEDTLS_ASN1_TAG_VALUE_MASK) == NAME_OF_ADDRESS;
    if (is_address && name->buf.len == length && memcmp(name->buf.p, address, length) == 0) return 1;
  }
  return 0;
}

static int is_same(const mbedtls_x509_buf *a, const mbedtls_x509_buf *b) {
  return a->len == b->len && memcmp(a->p, b->p, a->len) == 0;
}

static int is_among(const mbedtls_x509_crt *certificate, const mbedtls_x509_crt *list) {
  for (; list; list = list->next) {
    if (is_same(&list->raw, &certificate->raw)) return 1;
  }
  return 0;
}

int tls_check(void *opaque, mbedtls_x509_crt *certificate, int above, uint32_t *flags) {
  TlsTrust *trust = opaque;
  TlsReport *report = trust->report;
  // Mbed TLS passes the last certificate of the chain first.
  if (report->subject_length == 0 && above >= report->above) {
    report->above = (uint16_t)above;
    report->self_signed = (uint16_t)is_same(&certificate->subject_raw, &certificate->issuer_raw);
  }
  if (above == 0) {
    report->subject_length = copy_name(report->subject, &certificate->subject_raw);
    report->issuer_length = copy_name(report->issuer, &certificate->issuer_raw);
    // Like Node with partial chains, trusts a server's own certificate in the list. Mbed TLS itself trusts only
    // self-signed ones there.
    if (report->above == 0 && is_among(certificate, trust->authorities)) *flags &= ~MBEDTLS_X509_BADCERT_NOT_TRUSTED;
    const TlsJob *job = trust->job;
    if (job->address && !is_for_address(certificate, job->address, job->address_length)) {
      *flags |= MBEDTLS_X509_BADCERT_CN_MISMATCH;
    }
  }
  report->flags |= *flags;
  return 0;
}
