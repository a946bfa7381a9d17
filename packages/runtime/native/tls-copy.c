// Copies data between the connection and the parent after the handshake.
#include "tls.h"
#include <errno.h>
#include <mbedtls/error.h>
#include <mbedtls/net_sockets.h>
#include <mbedtls/ssl.h>
#include <poll.h>
#include <sys/syscall.h>
#include <unistd.h>

enum { CHUNK = 16384 };

// Buffer of one direction.
typedef struct {
  unsigned char bytes[CHUNK];
  size_t start;
  size_t end;
  int is_over; // the parent has sent everything
} Way;

static int failure(int would_block, int connection) {
  if (errno == EAGAIN || errno == EINTR) return would_block;
  return errno == ECONNRESET || errno == EPIPE ? MBEDTLS_ERR_NET_CONN_RESET : connection;
}

int tls_send(void *unused, const unsigned char *bytes, size_t length) {
  ssize_t count = write(TLS_NETWORK, bytes, length);
  return count >= 0 ? (int)count : failure(MBEDTLS_ERR_SSL_WANT_WRITE, MBEDTLS_ERR_NET_SEND_FAILED);
}

int tls_receive(void *unused, unsigned char *bytes, size_t length) {
  ssize_t count = read(TLS_NETWORK, bytes, length);
  return count >= 0 ? (int)count : failure(MBEDTLS_ERR_SSL_WANT_READ, MBEDTLS_ERR_NET_RECV_FAILED);
}

static void poll_both(short network, short plain) {
  struct pollfd both[] = {{TLS_NETWORK, network, 0}, {TLS_PLAIN, plain, 0}};
  // poll() always reports a failed connection: poll the network only if the caller waits for it.
  if (network == 0) both[0].fd = -1;
  if (syscall(SYS_ppoll, both, 2, 0, 0, 8) < 0 && errno != EINTR) _exit(TLS_BROKEN);
  if (both[1].revents & (POLLHUP | POLLERR)) _exit(TLS_CLOSED);
}

void tls_wait(short events) { poll_both(events, 0); }

static _Noreturn void end(const mbedtls_ssl_context *ssl, int error) {
  switch (error) {
  case MBEDTLS_ERR_SSL_FATAL_ALERT_MESSAGE:
    _exit(TLS_ALERT + (ssl->MBEDTLS_PRIVATE(in_msg)[1] & 127));
  case MBEDTLS_ERR_NET_CONN_RESET:
  case MBEDTLS_ERR_NET_RECV_FAILED:
  case MBEDTLS_ERR_NET_SEND_FAILED:
    _exit(TLS_RESET);
  default:
    _exit(TLS_BROKEN);
  }
}

// Each step returns 1 if it moved bytes. Otherwise it adds the events that it waits for.
static int step_down(mbedtls_ssl_context *ssl, Way *down, short *network, short *plain) {
  if (down->start < down->end) {
    ssize_t count = write(TLS_PLAIN, down->bytes + down->start, down->end - down->start);
    if (count < 0 && errno != EAGAIN && errno != EINTR) _exit(TLS_CLOSED);
    if (count > 0) down->start += (size_t)count;
    else *plain |= POLLOUT;
    return count > 0;
  }
  int count = mbedtls_ssl_read(ssl, down->bytes, sizeof down->bytes);
  if (count > 0) {
    down->start = 0;
    down->end = (size_t)count;
    return 1;
  }
  if (count == MBEDTLS_ERR_SSL_WANT_READ) *network |= POLLIN;
  else if (count == MBEDTLS_ERR_SSL_WANT_WRITE) *network |= POLLOUT;
  // Like Node, treats an end without close_notify as a normal end: HTTP marks the end of messages itself.
  else if (count == 0 || count == MBEDTLS_ERR_SSL_PEER_CLOSE_NOTIFY || count == MBEDTLS_ERR_SSL_CONN_EOF) _exit(TLS_CLOSED);
  else if (count != MBEDTLS_ERR_SSL_RECEIVED_NEW_SESSION_TICKET) end(ssl, count);
  return count == MBEDTLS_ERR_SSL_RECEIVED_NEW_SESSION_TICKET;
}

static int step_up(mbedtls_ssl_context *ssl, Way *up, short *network, short *plain) {
  if (up->start == up->end) {
    if (up->is_over) return 0;
    ssize_t count = read(TLS_PLAIN, up->bytes, sizeof up->bytes);
    if (count < 0) {
      *plain |= POLLIN;
      return 0;
    }
    up->start = 0;
    up->end = (size_t)count;
    up->is_over = count == 0;
    // Best effort: the server sees the end of the connection anyway.
    if (up->is_over) mbedtls_ssl_close_notify(ssl);
    return 1;
  }
  int count = mbedtls_ssl_write(ssl, up->bytes + up->start, up->end - up->start);
  if (count > 0) up->start += (size_t)count;
  else if (count == MBEDTLS_ERR_SSL_WANT_READ) *network |= POLLIN;
  else if (count == MBEDTLS_ERR_SSL_WANT_WRITE) *network |= POLLOUT;
  else end(ssl, count);
  return count > 0;
}

void tls_copy(mbedtls_ssl_context *ssl) {
  static Way down;
  static Way up;
  for (;;) {
    short network = 0;
    short plain = 0;
    int moved = step_down(ssl, &down, &network, &plain);
    moved |= step_up(ssl, &up, &network, &plain);
    if (!moved) poll_both(network, plain);
  }
}
