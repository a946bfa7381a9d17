// sandbox CALL: enters the TLS sandbox, then makes one system call by number. Exits with 0 if the call was allowed.
#include "tls.h"
#include <stdlib.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

int main(int count, char **values) {
  long number = atol(values[1]);
  pid_t parent = getpid();
  int pair[2];
  if (socketpair(AF_UNIX, SOCK_STREAM, 0, pair) != 0) return 3;
  pid_t child = fork();
  if (child == 0) {
    TlsJob job = {.network = pair[0], .plain = pair[1], .parent = parent};
    uint32_t step;
    if (tls_sandbox(&job, &step) != 0) _exit(4);
    // Arguments that make an allowed call fail or return immediately.
    syscall(number, 0, 1, 0, 0, 0, 0);
    syscall(SYS_exit_group, 0);
  }
  int status;
  if (waitpid(child, &status, 0) != child) return 5;
  return WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
}
