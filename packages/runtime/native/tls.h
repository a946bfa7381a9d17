// A TLS connection in a child process. The child has only the connection and one end of a socket pair.
#ifndef CNI_TLS_H
#define CNI_TLS_H
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

// Input of the child. PEM texts end with NUL; 0 means absent.
typedef struct {
  int network; // connected non-blocking socket
  int plain;   // the child's end of a non-blocking socket pair
  const char *authorities;
  const char *certificate;
  const char *key;
  const char *name;       // name that the certificate must have, also sent to the server
  const uint8_t *address; // 4 or 16 bytes of an address instead of a name
  size_t address_length;
  int insecure; // accepts any certificate
  pid_t parent;
} TlsJob;

// Stages of the child. src/tls/report.ts reads them.
enum { TLS_READY, TLS_SANDBOX, TLS_AUTHORITIES, TLS_CERTIFICATE, TLS_KEY, TLS_PAIR, TLS_SETUP, TLS_HANDSHAKE };
enum { TLS_NAME = 512 };

// First bytes on the socket pair. The parent must not trust them: a server may have compromised the child.
typedef struct {
  uint32_t stage;       // TLS_READY, or the stage that failed
  int32_t error;        // error of Mbed TLS; TLS_SANDBOX: errno
  uint32_t flags;       // faults of the certificates, as flags of Mbed TLS; TLS_SANDBOX: the step that failed
  uint16_t above;       // number of certificates above the server's own in the chain
  uint16_t self_signed; // true if the last certificate of the chain is self-signed
  uint16_t version;     // 0x303 (TLS 1.2) or 0x304 (TLS 1.3)
  uint16_t alert;       // alert of the server, if `error` says that it sent one
  uint16_t subject_length;
  uint16_t issuer_length;
  uint8_t subject[TLS_NAME]; // subject of the server's certificate, DER
  uint8_t issuer[TLS_NAME];
} TlsReport;

// Exit codes of the child after TLS_READY. Codes from TLS_ALERT on are TLS_ALERT plus the alert of the server.
enum { TLS_CLOSED = 0, TLS_RESET = 1, TLS_BROKEN = 2, TLS_ALERT = 128 };

// Numbers of the two descriptors in the child.
enum { TLS_NETWORK, TLS_PLAIN };

// tls-sandbox.c: closes all descriptors but two, drops rights and blocks system calls. Returns 0, or an errno and the
// step that failed. After a failure the child must exit.
int tls_sandbox(const TlsJob *job, uint32_t *step);

// tls-child.c
_Noreturn void tls_child(const TlsJob *job);

// tls-trust.c: copies facts about a certificate into the report. Mbed TLS calls it for each certificate, the server's
// own last.
struct mbedtls_x509_crt;
typedef struct {
  const TlsJob *job;
  const struct mbedtls_x509_crt *authorities;
  TlsReport *report;
} TlsTrust;
int tls_check(void *trust, struct mbedtls_x509_crt *certificate, int above, uint32_t *flags);

// tls-random.c: random bytes for Mbed TLS. Returns 0, or an error of Mbed TLS.
int tls_random(void *unused, unsigned char *bytes, size_t length);

// tls-copy.c: waits until the network is ready for `events`. Ends the process if the parent has closed its end.
void tls_wait(short events);
struct mbedtls_ssl_context;
_Noreturn void tls_copy(struct mbedtls_ssl_context *ssl);
int tls_send(void *unused, const unsigned char *bytes, size_t length);
int tls_receive(void *unused, unsigned char *bytes, size_t length);
#endif
