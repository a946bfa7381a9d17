// A TLS connection in a child process that has nothing but the connection and one end of a socket pair.
#ifndef CNI_TLS_H
#define CNI_TLS_H
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

// PEM texts end with NUL; 0: absent.
typedef struct {
  int network; // a connected socket that does not block
  int plain;   // the child's end of a socket pair that does not block
  const char *authorities;
  const char *certificate;
  const char *key;
  const char *name;       // that the certificate must have, also sent to the server
  const uint8_t *address; // instead of a name: 4 or 16 bytes
  size_t address_length;
  int insecure; // any certificate is accepted
  pid_t parent;
} TlsJob;

// src/tls/report.ts reads it.
enum { TLS_READY, TLS_SANDBOX, TLS_AUTHORITIES, TLS_CERTIFICATE, TLS_KEY, TLS_PAIR, TLS_SETUP, TLS_HANDSHAKE };
enum { TLS_NAME = 512 };

// First bytes on the socket pair. The parent trusts none of them: a server may have taken the child over.
typedef struct {
  uint32_t stage;       // one of the above: TLS_READY, or where it failed
  int32_t error;        // of Mbed TLS; TLS_SANDBOX: errno
  uint32_t flags;       // faults of the certificates, as Mbed TLS has them; TLS_SANDBOX: the step that was refused
  uint16_t above;       // certificates above the server's own in the chain
  uint16_t self_signed; // the last certificate of the chain
  uint16_t version;     // 0x303, 0x304
  uint16_t alert;       // that the server sent, if `error` says that there is one
  uint16_t subject_length;
  uint16_t issuer_length;
  uint8_t subject[TLS_NAME]; // of the server's certificate, DER
  uint8_t issuer[TLS_NAME];
} TlsReport;

// Exit codes of the child after TLS_READY. From TLS_ALERT on: the number of an alert that the server sent.
enum { TLS_CLOSED = 0, TLS_RESET = 1, TLS_BROKEN = 2, TLS_ALERT = 128 };

// Places of the two descriptors in the child.
enum { TLS_NETWORK, TLS_PLAIN };

// tls-sandbox.c: gives up all descriptors but two, rights and system calls. Returns 0, or an errno and the step that was
// refused: then the child must end.
int tls_sandbox(const TlsJob *job, uint32_t *step);

// tls-child.c
_Noreturn void tls_child(const TlsJob *job);

// tls-trust.c: copies what the report says of the certificates. Called by Mbed TLS for each one, the server's own last.
struct mbedtls_x509_crt;
typedef struct {
  const TlsJob *job;
  const struct mbedtls_x509_crt *authorities;
  TlsReport *report;
} TlsTrust;
int tls_check(void *trust, struct mbedtls_x509_crt *certificate, int above, uint32_t *flags);

// tls-random.c: for Mbed TLS. Returns 0, or an error of Mbed TLS.
int tls_random(void *unused, unsigned char *bytes, size_t length);

// tls-copy.c: waits until the network is ready for `events`. Ends the process if the parent has closed its end.
void tls_wait(short events);
struct mbedtls_ssl_context;
_Noreturn void tls_copy(struct mbedtls_ssl_context *ssl);
int tls_send(void *unused, const unsigned char *bytes, size_t length);
int tls_receive(void *unused, unsigned char *bytes, size_t length);
#endif
