// Sandbox of the child, entered before it reads from the network.
#include "tls.h"
#include <errno.h>
#include <signal.h>
#include <stddef.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

// User id of "nobody" on every distribution.
enum { NOBODY = 65534 };

// Definitions of linux/filter.h, linux/seccomp.h and linux/audit.h, which musl lacks.
typedef struct {
  uint16_t code;
  uint8_t if_true;
  uint8_t if_false;
  uint32_t value;
} Instruction;
typedef struct {
  unsigned short length;
  const Instruction *instructions;
} Filter;
enum { LOAD = 0x20, JUMP_IF_EQUAL = 0x15, RETURN = 0x06 };
enum { AT_NUMBER = 0, AT_ARCHITECTURE = 4, MODE_FILTER = 2 };
#define ALLOW 0x7fff0000u
#define KILL_PROCESS 0x80000000u
#ifdef __x86_64__
#define ARCHITECTURE 0xc000003eu
#else
#define ARCHITECTURE 0xc00000b7u
#endif

// Filter instructions for one system call: return ALLOW if the number matches.
#define CALL(name) {JUMP_IF_EQUAL, 0, 1, SYS_##name}, {RETURN, 0, 0, ALLOW}

static const Instruction instructions[] = {
    {LOAD, 0, 0, AT_ARCHITECTURE},
    {JUMP_IF_EQUAL, 1, 0, ARCHITECTURE},
    {RETURN, 0, 0, KILL_PROCESS},
    {LOAD, 0, 0, AT_NUMBER},
    CALL(read),
    CALL(write),
    CALL(ppoll),
    CALL(getrandom),
    CALL(clock_gettime),
    CALL(exit_group),
    CALL(rt_sigreturn),
    {RETURN, 0, 0, KILL_PROCESS},
};

static int filter_calls(void) {
  Filter filter = {sizeof instructions / sizeof instructions[0], instructions};
  return prctl(PR_SET_SECCOMP, MODE_FILTER, &filter);
}

// Unblocks the signals that the parent blocks, and ignores SIGPIPE, so that write() fails with EPIPE.
static int reset_signals(void) {
  for (int signal = 1; signal < 65; signal++) {
    struct sigaction action = {.sa_handler = signal == SIGPIPE ? SIG_IGN : SIG_DFL};
    sigaction(signal, &action, 0);
  }
  sigset_t none;
  sigemptyset(&none);
  // A process group of its own: a signal to the parent's group does not end the child.
  return sigprocmask(SIG_SETMASK, &none, 0) || setpgid(0, 0) ? -1 : 0;
}

static int close_from(unsigned int first) {
  if (syscall(SYS_close_range, first, ~0u, 0) == 0) return 0;
  struct rlimit limit;
  if (errno != ENOSYS || getrlimit(RLIMIT_NOFILE, &limit) != 0) return -1;
  for (rlim_t descriptor = first; descriptor < limit.rlim_cur; descriptor++) close((int)descriptor);
  return 0;
}

static int keep_two_descriptors(const TlsJob *job) {
  // The source descriptors are never 0, 1 or 2, because the runtime keeps these open.
  if (dup2(job->network, TLS_NETWORK) < 0 || dup2(job->plain, TLS_PLAIN) < 0) return -1;
  return close_from(TLS_PLAIN + 1);
}

static int limit_resources(void) {
  static const struct {
    int resource;
    rlim_t most;
  } limits[] = {
      {RLIMIT_CORE, 0},
      {RLIMIT_FSIZE, 0},
      {RLIMIT_MEMLOCK, 0},
      {RLIMIT_MSGQUEUE, 0},
      {RLIMIT_NPROC, 0},
      // ppoll() fails if it gets more descriptors than this limit.
      {RLIMIT_NOFILE, 2},
  };
  for (size_t i = 0; i < sizeof limits / sizeof limits[0]; i++) {
    struct rlimit limit = {limits[i].most, limits[i].most};
    if (setrlimit(limits[i].resource, &limit) != 0) return -1;
  }
  return 0;
}

static int drop_rights(void) {
  if (geteuid() == 0) {
    if (syscall(SYS_setgroups, 0, 0) != 0) return -1;
    if (syscall(SYS_setresgid, NOBODY, NOBODY, NOBODY) != 0) return -1;
    if (syscall(SYS_setresuid, NOBODY, NOBODY, NOBODY) != 0) return -1;
  }
  // Drops all capabilities, also if the process is not root.
  struct {
    uint32_t version;
    int pid;
  } header = {0x20080522, 0};
  uint32_t none[6] = {0};
  return (int)syscall(SYS_capset, &header, none);
}

// The kernel resets both settings when the user changes, so they are set afterwards.
static int end_with_parent(const TlsJob *job) {
  if (prctl(PR_SET_DUMPABLE, 0) != 0 || prctl(PR_SET_PDEATHSIG, SIGKILL) != 0) return -1;
  if (getppid() != job->parent) _exit(0);
  return 0;
}

int tls_sandbox(const TlsJob *job, uint32_t *step) {
  // The report goes to TLS_PLAIN. Without that descriptor only the exit code remains.
  if (keep_two_descriptors(job) != 0) _exit(TLS_BROKEN);
  *step = 1;
  if (reset_signals() != 0) return errno;
  *step = 2;
  if (limit_resources() != 0) return errno;
  *step = 3;
  if (drop_rights() != 0) return errno;
  *step = 4;
  if (end_with_parent(job) != 0) return errno;
  *step = 5;
  if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0 || filter_calls() != 0) return errno;
  return 0;
}
