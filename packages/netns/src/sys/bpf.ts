import type { Native, Signatures } from './native.ts'
import type { Sys } from './sys.ts'

/** Numbers of the system call bpf(2) by processor: libc has no function for bpf(2). */
const NUMBERS: Readonly<Record<string, bigint>> = { x64: 321n, arm64: 280n }

const ENOSYS = 38
const ADDRESS = 8
const aligned = (length: number): number => (length + 7) & ~7

/** Functions that an FFI (foreign function interface) must provide for calls of bpf(2). */
export interface BpfLibc {
  bpf(command: number, attr: Uint8Array, size: number): number
  /** Memory address of a buffer. The address is valid while the caller keeps a reference to the buffer. */
  addressOf(buffer: Uint8Array): number | bigint
  /** Errno of the last libc call. */
  errno(): number
}

interface Functions {
  syscall(number: bigint, command: bigint, attr: Uint8Array, size: bigint): number
}

/** Creates a function for bpf(2). The first call binds the system call, because few programs need bpf(2). */
export function lateBpf(bind: <F>(signatures: Signatures) => Native<F>): Pick<BpfLibc, 'bpf'> {
  let syscall: Functions['syscall'] | undefined
  return {
    bpf(command, attr, size) {
      syscall ??= bind<Functions>({ syscall: 'llpl' }).functions.syscall
      return syscall(NUMBERS[process.arch] ?? -1n, BigInt(command), attr, BigInt(size))
    },
  }
}

/**
 * Calls bpf(2) with all memory in one block, because JavaScript runtimes may move small typed arrays.
 *
 * @returns the result of bpf(2), and the errno if the result is -1
 */
export function callBpf(
  libc: BpfLibc,
  command: number,
  attr: Uint8Array,
  pointers: NonNullable<Parameters<Sys['bpf']>[2]>,
): { result: number; errno: number } {
  if (NUMBERS[process.arch] === undefined) return { result: -1, errno: ENOSYS }
  let size = aligned(attr.length)
  const places = pointers.map(([, { length }]) => {
    const place = size
    size = aligned(size + length)
    return place
  })
  // Keeps the address of an empty last buffer inside the memory block.
  const block = new Uint8Array(new ArrayBuffer(size + ADDRESS))
  const view = new DataView(block.buffer)
  const start = BigInt(libc.addressOf(block))
  block.set(attr)
  for (const [index, [offset, bytes]] of pointers.entries()) {
    const place = places[index] ?? 0
    block.set(bytes, place)
    view.setBigUint64(offset, start + BigInt(place), true)
  }
  const result = libc.bpf(command, block, attr.length)
  const errno = result === -1 ? libc.errno() : 0
  for (const [index, [offset, bytes]] of pointers.entries()) {
    const place = places[index] ?? 0
    bytes.set(block.subarray(place, place + bytes.length))
    view.setBigUint64(offset, 0n, true)
  }
  attr.set(block.subarray(0, attr.length))
  return { result, errno }
}
