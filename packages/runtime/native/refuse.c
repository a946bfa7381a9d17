// Sandbox of the build. It stops modules from reading values of the build machine into the image.
#include "host.h"
#include <stdio.h>
#include <string.h>
#include <sys/syscall.h>

// Names of system calls for the message. An unlisted call is named by its number.
#define NAMED(call) {SYS_##call, #call}
static const struct {
  long number;
  const char *name;
} names[] = {
    NAMED(read),          NAMED(write),       NAMED(readv),        NAMED(writev),          NAMED(pread64),
    NAMED(openat),        NAMED(close),       NAMED(fstat),        NAMED(newfstatat),      NAMED(statx),
    NAMED(lseek),         NAMED(getdents64),  NAMED(readlinkat),   NAMED(faccessat),       NAMED(statfs),
    NAMED(unlinkat),      NAMED(mkdirat),     NAMED(renameat2),    NAMED(linkat),          NAMED(symlinkat),
    NAMED(fchmod),        NAMED(fchown),      NAMED(fsync),        NAMED(ftruncate),       NAMED(flock),
    NAMED(fcntl),         NAMED(ioctl),       NAMED(dup3),         NAMED(pipe2),           NAMED(ppoll),
    NAMED(socket),        NAMED(bind),        NAMED(connect),      NAMED(listen),          NAMED(accept4),
    NAMED(sendto),        NAMED(recvfrom),    NAMED(sendmsg),      NAMED(recvmsg),         NAMED(setsockopt),
    NAMED(getsockopt),    NAMED(getsockname), NAMED(getpid),       NAMED(getppid),         NAMED(gettid),
    NAMED(getuid),        NAMED(geteuid),     NAMED(getgid),       NAMED(getegid),         NAMED(getcwd),
    NAMED(chdir),         NAMED(uname),       NAMED(sysinfo),      NAMED(getrandom),       NAMED(clock_gettime),
    NAMED(gettimeofday),  NAMED(kill),        NAMED(tgkill),       NAMED(pidfd_open),      NAMED(pidfd_send_signal),
    NAMED(waitid),        NAMED(wait4),       NAMED(execve),       NAMED(clone),           NAMED(exit_group),
    NAMED(rt_sigaction),  NAMED(signalfd4),   NAMED(timerfd_create), NAMED(eventfd2),      NAMED(rt_sigprocmask),
    NAMED(setns),         NAMED(unshare),     NAMED(mount),        NAMED(umount2),         NAMED(bpf),
    NAMED(inotify_init1), NAMED(memfd_create), NAMED(prlimit64),   NAMED(sched_getaffinity), NAMED(utimensat),
};

static const long of_memory[] = {SYS_mmap, SYS_munmap, SYS_mprotect, SYS_mremap, SYS_madvise, SYS_brk};

static char first[2048];

const char *refused(void) { return first[0] ? first : 0; }

static void remember(JSContext *context, JSValueConst error, const char *what) {
  if (first[0]) return;
  JSValue stack = JS_GetPropertyStr(context, error, "stack");
  const char *lines = JS_IsString(stack) ? JS_ToCString(context, stack) : 0;
  snprintf(first, sizeof first, "%s was used while the image was made\n%s", what, lines ? lines : "");
  if (lines) JS_FreeCString(context, lines);
  JS_FreeValue(context, stack);
}

int refuse(JSContext *context, const char *what) {
  if (!snapshotting) return 0;
  JS_ThrowInternalError(context, "%s was used while the image was made: call it in a function that runs at each start",
                        what);
  JSValue error = JS_GetException(context);
  remember(context, error, what);
  JS_SetUncatchableError(context, error, 1);
  JS_Throw(context, error);
  return 1;
}

int refuse_syscall(JSContext *context, long number) {
  if (!snapshotting) return 0;
  for (size_t i = 0; i < sizeof of_memory / sizeof of_memory[0]; i++) {
    if (of_memory[i] == number) return 0;
  }
  char what[64];
  snprintf(what, sizeof what, "the system call %ld", number);
  for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
    if (names[i].number == number) snprintf(what, sizeof what, "the system call %s", names[i].name);
  }
  return refuse(context, what);
}
