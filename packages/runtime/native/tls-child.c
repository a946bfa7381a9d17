// Code of the child process: sandbox, certificates, handshake, report.
#include "tls.h"
#include <mbedtls/memory_buffer_alloc.h>
#include <mbedtls/ssl.h>
#include <poll.h>
#include <psa/crypto.h>
#include <string.h>
#include <unistd.h>

// Limits of the memory for Mbed TLS, which clears all of it. A handshake needs less than the least, a certificate three
// times its PEM.
enum { MEMORY_LEAST = 512 << 10, MEMORY_MOST = 4 << 20, MEMORY_OF_PEM = 8 };
static unsigned char memory[MEMORY_MOST] __attribute__((aligned(16)));

static TlsReport report;
static mbedtls_ssl_context ssl;
static mbedtls_ssl_config config;
static mbedtls_x509_crt authorities;
static mbedtls_x509_crt own;
static mbedtls_pk_context key;

static void send_report(void) {
  // A new socket pair has room for the whole report.
  if (write(TLS_PLAIN, &report, sizeof report) != sizeof report) _exit(TLS_BROKEN);
}

// Adds faults that Mbed TLS finds after tls_check(), such as a wrong key usage.
static void add_flags(void) {
  uint32_t flags = mbedtls_ssl_get_verify_result(&ssl);
  if (flags != UINT32_MAX) report.flags |= flags;
}

static _Noreturn void fail(uint32_t stage, int error) {
  report.stage = stage;
  report.error = error;
  send_report();
  _exit(TLS_BROKEN);
}

static void expect(uint32_t stage, int error) {
  if (error != 0) fail(stage, error);
}

// P-256 is first: the first message contains a key for it. Every TLS 1.3 server supports it, and it is the fastest
// here.
static const uint16_t groups[] = {
    MBEDTLS_SSL_IANA_TLS_GROUP_SECP256R1, MBEDTLS_SSL_IANA_TLS_GROUP_X25519,    MBEDTLS_SSL_IANA_TLS_GROUP_SECP384R1,
    MBEDTLS_SSL_IANA_TLS_GROUP_SECP521R1, MBEDTLS_SSL_IANA_TLS_GROUP_NONE,
};

static size_t with_end(const char *text) { return strlen(text) + 1; }

static void read_certificates(const TlsJob *job) {
  mbedtls_x509_crt_init(&authorities);
  mbedtls_x509_crt_init(&own);
  mbedtls_pk_init(&key);
  if (job->authorities) {
    int unread = mbedtls_x509_crt_parse(&authorities, (const uint8_t *)job->authorities, with_end(job->authorities));
    // A positive number counts the unreadable certificates. The others are used.
    if (unread < 0) fail(TLS_AUTHORITIES, unread);
    mbedtls_ssl_conf_ca_chain(&config, &authorities, 0);
  }
  if (!job->certificate || !job->key) return;
  int unread = mbedtls_x509_crt_parse(&own, (const uint8_t *)job->certificate, with_end(job->certificate));
  expect(TLS_CERTIFICATE, unread > 0 ? MBEDTLS_ERR_X509_INVALID_FORMAT : unread);
  expect(TLS_KEY, mbedtls_pk_parse_key(&key, (const uint8_t *)job->key, with_end(job->key), 0, 0, tls_random, 0));
  expect(TLS_PAIR, mbedtls_pk_check_pair(&own.pk, &key, tls_random, 0));
  expect(TLS_SETUP, mbedtls_ssl_conf_own_cert(&config, &own, &key));
}

static size_t memory_for(const TlsJob *job) {
  const char *texts[] = {job->authorities, job->certificate, job->key};
  size_t size = MEMORY_LEAST;
  for (int i = 0; i < 3; i++) size += texts[i] ? MEMORY_OF_PEM * strlen(texts[i]) : 0;
  return size < MEMORY_MOST ? size : MEMORY_MOST;
}

static void set_up(const TlsJob *job, TlsTrust *trust) {
  mbedtls_memory_buffer_alloc_init(memory, memory_for(job));
  expect(TLS_SETUP, psa_crypto_init());
  mbedtls_ssl_init(&ssl);
  mbedtls_ssl_config_init(&config);
  expect(TLS_SETUP, mbedtls_ssl_config_defaults(&config, MBEDTLS_SSL_IS_CLIENT, MBEDTLS_SSL_TRANSPORT_STREAM,
                                                MBEDTLS_SSL_PRESET_DEFAULT));
  mbedtls_ssl_conf_groups(&config, groups);
  mbedtls_ssl_conf_rng(&config, tls_random, 0);
  mbedtls_ssl_conf_authmode(&config, job->insecure ? MBEDTLS_SSL_VERIFY_OPTIONAL : MBEDTLS_SSL_VERIFY_REQUIRED);
  if (!job->insecure && !job->name && !job->address) fail(TLS_SETUP, MBEDTLS_ERR_SSL_BAD_INPUT_DATA);
  mbedtls_ssl_conf_verify(&config, tls_check, trust);
  read_certificates(job);
  expect(TLS_SETUP, mbedtls_ssl_setup(&ssl, &config));
  // 0 sends no name. tls_check() compares the address.
  expect(TLS_SETUP, mbedtls_ssl_set_hostname(&ssl, job->name));
  mbedtls_ssl_set_bio(&ssl, 0, tls_send, tls_receive, 0);
}

static void shake_hands(void) {
  for (;;) {
    int error = mbedtls_ssl_handshake(&ssl);
    if (error == 0) return;
    if (error == MBEDTLS_ERR_SSL_WANT_READ) tls_wait(POLLIN);
    else if (error == MBEDTLS_ERR_SSL_WANT_WRITE) tls_wait(POLLOUT);
    else {
      if (error == MBEDTLS_ERR_SSL_FATAL_ALERT_MESSAGE) report.alert = ssl.MBEDTLS_PRIVATE(in_msg)[1];
      add_flags();
      fail(TLS_HANDSHAKE, error);
    }
  }
}

void tls_child(const TlsJob *job) {
  int refused = tls_sandbox(job, &report.flags);
  if (refused != 0) fail(TLS_SANDBOX, refused);
  TlsTrust trust = {job, &authorities, &report};
  report.flags = 0;
  set_up(job, &trust);
  shake_hands();
  add_flags();
  report.stage = TLS_READY;
  report.version = (uint16_t)mbedtls_ssl_get_version_number(&ssl);
  send_report();
  tls_copy(&ssl);
}
