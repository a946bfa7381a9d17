import { missingCapability, type Needed } from './capabilities.ts'
import { EbpfError } from './errors.ts'
import { errnoOf, type Kernel } from './kernel.ts'

/** Numbers of bpf(2) commands, from <linux/bpf.h>. */
export const MAP_CREATE = 0
export const MAP_LOOKUP = 1
export const MAP_UPDATE = 2
export const MAP_DELETE = 3
export const MAP_NEXT_KEY = 4
export const PROG_LOAD = 5
export const OBJ_PIN = 6
export const OBJ_GET = 7
export const PROG_TEST_RUN = 10
export const OBJ_INFO = 15
export const MAP_TAKE = 21

/** Value at an offset of the struct `bpf_attr`, the argument of bpf(2). A byte array becomes a pointer. */
export type Member = readonly [offset: number, value: number | bigint | Uint8Array]

/** One call of the system call bpf(2). */
export interface Call {
  readonly command: number
  /** Size of the struct `bpf_attr` in bytes, up to the end of its last used member. */
  readonly size: number
  readonly members: readonly Member[]
  /** First words of the error message for this bpf(2) call. */
  readonly what: string
  /** Capabilities that the bpf(2) call needs. The error message for EPERM names the missing capabilities. */
  readonly needs: Needed
  /** Meaning of an errno in this bpf(2) call: the `EbpfError` code, and a text for the error message. */
  readonly means?: Readonly<Record<string, readonly [code: string, text: string]>>
}

/** Makes a bpf(2) call. Throws an `EbpfError`, or a `NetnsError` if the JavaScript runtime cannot make system calls. */
export function call(kernel: Kernel, { command, size, members, what, needs, means = {} }: Call) {
  const attr = Buffer.alloc(size)
  const pointers: (readonly [number, Uint8Array])[] = []
  for (const [offset, value] of members) {
    if (typeof value === 'bigint') attr.writeBigUInt64LE(value, offset)
    else if (typeof value === 'number') attr.writeInt32LE(value | 0, offset)
    else pointers.push([offset, value])
  }
  try {
    return { result: kernel.bpf(command, attr, pointers), attr }
  } catch (cause) {
    const errno = errnoOf(cause)
    if (errno === undefined || errno === 'NO_FFI') throw cause
    throw refusal(kernel, errno, { what, needs, means }, cause)
  }
}

function refusal(
  kernel: Kernel,
  errno: string,
  { what, needs, means }: Required<Pick<Call, 'what' | 'needs' | 'means'>>,
  cause: unknown,
): EbpfError {
  const said = Object.hasOwn(means, errno) ? means[errno] : undefined
  if (said !== undefined) return new EbpfError(said[0], `${what}: ${errno}, ${said[1]}`, { cause })
  if (errno === 'EPERM') return new EbpfError('EPERM', `${what}: EPERM, ${missingCapability(kernel, needs)}`, { cause })
  if (errno === 'ENOSYS') return new EbpfError('NOT_SUPPORTED', `${what}: the kernel has no bpf(2)`, { cause })
  return new EbpfError(errno, `${what}: ${errno}`, { cause })
}

/** Encodes a text as a C string, with a NUL at the end. */
export function cString(text: string): Uint8Array {
  return Buffer.from(`${text}\0`)
}

/** Decodes a C string: at most `size` bytes, up to the first NUL. */
export function textAt(bytes: Buffer, at: number, size: number): string {
  const end = bytes.indexOf(0, at)
  return bytes.toString('latin1', at, end === -1 ? at + size : Math.min(end, at + size))
}
