// tls-plain PORT CA: sends a request to 127.0.0.1 with the TLS code, for sanitizers, without the sandbox. Prints the
// stage of the report and the response. Exits with the exit code of the child.
#include "tls.h"
#include <arpa/inet.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

int tls_sandbox(const TlsJob *job, uint32_t *step) {
  dup2(job->network, TLS_NETWORK);
  dup2(job->plain, TLS_PLAIN);
  for (int descriptor = 3; descriptor < 20; descriptor++) close(descriptor);
  return 0;
}

static int connected(int port) {
  struct sockaddr_in address = {.sin_family = AF_INET, .sin_port = htons(port), .sin_addr = {htonl(INADDR_LOOPBACK)}};
  int network = socket(AF_INET, SOCK_STREAM, 0);
  if (connect(network, (struct sockaddr *)&address, sizeof address) != 0) exit(90);
  fcntl(network, F_SETFL, O_NONBLOCK);
  return network;
}

int main(int count, char **values) {
  static char authorities[65536];
  static char answer[1 << 20];
  static const uint8_t address[] = {127, 0, 0, 1};
  FILE *file = fopen(values[2], "r");
  if (!file || fread(authorities, 1, sizeof authorities - 1, file) == 0) return 91;
  int pair[2];
  if (socketpair(AF_UNIX, SOCK_STREAM, 0, pair) != 0) return 92;
  fcntl(pair[1], F_SETFL, O_NONBLOCK);
  TlsJob job = {.network = connected(atoi(values[1])), .plain = pair[1], .authorities = authorities};
  job.address = address;
  job.address_length = sizeof address;
  pid_t child = fork();
  if (child == 0) tls_child(&job);
  close(pair[1]);
  close(job.network);
  static const char request[] = "GET / HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n";
  send(pair[0], request, sizeof request - 1, MSG_NOSIGNAL);
  size_t length = 0;
  for (ssize_t part; length < sizeof answer && (part = read(pair[0], answer + length, sizeof answer - length)) > 0;) length += part;
  int status;
  waitpid(child, &status, 0);
  if (length < sizeof(TlsReport)) return 93;
  TlsReport report;
  memcpy(&report, answer, sizeof report);
  printf("%u\n", report.stage);
  fwrite(answer + sizeof report, 1, length - sizeof report, stdout);
  return WIFEXITED(status) ? WEXITSTATUS(status) : 94;
}
