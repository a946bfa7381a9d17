import { spawnSync } from 'node:child_process'
import { describe, expect, it } from 'vitest'
import { cannotCompile, sanitized } from './sanitized.ts'

/** System call numbers on x64. TLS needs the allowed ones. */
const ALLOWED = { read: 0, write: 1, ppoll: 271, getrandom: 318, clock_gettime: 228, exit_group: 231 } as const
const REFUSED = {
  open: 2,
  close: 3,
  mmap: 9,
  mprotect: 10,
  brk: 12,
  ioctl: 16,
  dup2: 33,
  getpid: 39,
  socket: 41,
  connect: 42,
  sendto: 44,
  sendmsg: 46,
  recvmsg: 47,
  clone: 56,
  fork: 57,
  execve: 59,
  exit: 60,
  kill: 62,
  fcntl: 72,
  ptrace: 101,
  prctl: 157,
  setuid: 105,
  openat: 257,
  process_vm_readv: 310,
  seccomp: 317,
  bpf: 321,
  io_uring_setup: 425,
  openat2: 437,
  'read of the x32 interface': 0x4000_0000,
} as const
const SIGSYS = 31

describe.skipIf(Boolean(cannotCompile) || process.arch !== 'x64')(`The sandbox of TLS (${cannotCompile})`, () => {
  const program = cannotCompile ? '' : sanitized('sandbox', ['tls-sandbox'], [])
  const result = (call: number): number | null =>
    spawnSync(program, [String(call)], { stdio: 'ignore', timeout: 5000 }).status

  it.for(Object.entries(ALLOWED))('allows %s', ([, call]) => {
    expect(result(call)).toBe(0)
  })

  it.for(Object.entries(REFUSED))('ends the process at %s', ([, call]) => {
    expect(result(call)).toBe(128 + SIGSYS)
  })

  it('allows no other call', () => {
    // The kernel lets calls of its uprobes pass the filter. They have no effect elsewhere.
    const probes = [335, 336]
    const others = Array.from({ length: 470 }, (_, call) => call).filter((call) => !probes.includes(call))
    const allowed = others.filter((call) => result(call) === 0)
    expect(allowed).toEqual(Object.values(ALLOWED).sort((a, b) => a - b))
  })
})
