import { type Argument, host } from '../host.ts'

// System call numbers for x64 and arm64: arch/x86/entry/syscalls/syscall_64.tbl, include/uapi/asm-generic/unistd.h.
const table = {
  read: [0, 63],
  write: [1, 64],
  pread64: [17, 67],
  pwrite64: [18, 68],
  close: [3, 57],
  fcntl: [72, 25],
  flock: [73, 32],
  ioctl: [16, 29],
  openat: [257, 56],
  statx: [332, 291],
  statfs: [137, 43],
  getdents64: [217, 61],
  getcwd: [79, 17],
  chdir: [80, 49],
  umask: [95, 166],
  mkdirat: [258, 34],
  mknodat: [259, 33],
  unlinkat: [263, 35],
  renameat2: [316, 276],
  linkat: [265, 37],
  symlinkat: [266, 36],
  readlinkat: [267, 78],
  fchmodat: [268, 53],
  fchmod: [91, 52],
  fchownat: [260, 54],
  fchown: [93, 55],
  faccessat: [269, 48],
  utimensat: [280, 88],
  ftruncate: [77, 46],
  fsync: [74, 82],
  fdatasync: [75, 83],
  pipe2: [293, 59],
  socket: [41, 198],
  socketpair: [53, 199],
  connect: [42, 203],
  bind: [49, 200],
  listen: [50, 201],
  accept4: [288, 242],
  shutdown: [48, 210],
  getsockname: [51, 204],
  getpeername: [52, 205],
  setsockopt: [54, 208],
  getsockopt: [55, 209],
  sendto: [44, 206],
  recvfrom: [45, 207],
  ppoll: [271, 73],
  signalfd4: [289, 74],
  rt_sigprocmask: [14, 135],
  rt_sigaction: [13, 134],
  kill: [62, 129],
  getpid: [39, 172],
  getppid: [110, 173],
  getuid: [102, 174],
  geteuid: [107, 175],
  getgid: [104, 176],
  getegid: [108, 177],
  getrandom: [318, 278],
  clock_gettime: [228, 113],
  exit_group: [231, 94],
  pidfd_open: [434, 434],
  waitid: [247, 95],
  uname: [63, 160],
  sysinfo: [99, 179],
  sched_getaffinity: [204, 123],
  inotify_init1: [294, 26],
  inotify_add_watch: [254, 27],
  inotify_rm_watch: [255, 28],
} as const satisfies Record<string, readonly [number, number]>

export type Call = keyof typeof table

const column = host.arch === 'x64' ? 0 : 1

const EINTR = -4

/** Makes the Linux system call of the given name. A failed call returns `-errno`. */
export function call(name: Call, a?: Argument, b?: Argument, c?: Argument, d?: Argument, e?: Argument, f?: Argument) {
  return host.syscall(table[name][column], a, b, c, d, e, f)
}

/** Repeats a system call while it fails with EINTR. */
export function callAgain(...args: Parameters<typeof call>): number {
  for (;;) {
    const result = call(...args)
    if (result !== EINTR) return result
  }
}
