/**
 * System calls of a process that has loaded nothing for them, not even `Buffer`: the first function that names it takes
 * bun 0.1 ms, whether it comes to that or not.
 */
export interface Kernel {
  /** The result, -1 for a failure; a text is a path, and bytes are where they are. */
  call(name: Call, a?: Argument, b?: Argument, c?: Argument, d?: Argument, e?: Argument): number
  /** Of the last call. */
  errno(): number
  /** `constants` of `node:fs`. */
  readonly constants: Readonly<Record<string, number>>
}

type Argument = number | string | NodeJS.ArrayBufferView

/** Bytes of the longest text, and the NUL behind it. */
export const TEXT_SIZE = 4096

export type Call = keyof ReturnType<(typeof NUMBERS)['x64']>

/** What bun has of its own. `bun:ffi` is made of it, which takes 0.4 ms to load. */
interface Ffi {
  dlopen(library: string, symbols: object): { readonly symbols: Libc }
  ptr(bytes: NodeJS.ArrayBufferView): number
  readonly read: { i32(address: number, offset: number): number }
}

interface Libc {
  syscall(number: number, a: number, b: number, c: number, d: number, e: number): number
  __errno_location(): number
}

/** One function of libc does for all: each that is bound takes 5 µs, and its oldest lacks some of these. */
const NUMBERS = {
  x64: () => ({
    read: 0,
    write: 1,
    close: 3,
    fsync: 74,
    fchmod: 91,
    statfs: 137,
    openat: 257,
    unlinkat: 263,
    renameat: 264,
    readlinkat: 267,
    faccessat: 269,
    statx: 332,
  }),
  arm64: () => ({
    read: 63,
    write: 64,
    close: 57,
    fsync: 82,
    fchmod: 52,
    statfs: 43,
    openat: 56,
    unlinkat: 35,
    renameat: 38,
    readlinkat: 78,
    faccessat: 48,
    statx: 291,
  }),
}

/** `undefined` where there is no way to the kernel: another processor, or another bun. */
export function openKernel(): Kernel | undefined {
  const { arch } = process
  const constants = fileConstants()
  if ((arch !== 'x64' && arch !== 'arm64') || constants === undefined) return undefined
  try {
    const { Bun } = foreign()
    if (Bun?.FFI === undefined) return undefined
    return kernelOver(Bun.FFI, NUMBERS[arch](), constants)
  } catch {
    // Whatever the reason is: `node:fs` does without.
    return undefined
  }
}

// internal

function kernelOver(ffi: Ffi, numbers: Readonly<Record<Call, number>>, constants: Kernel['constants']): Kernel {
  const { syscall, __errno_location } = ffi.dlopen('libc.so.6', {
    syscall: { args: ['i64', 'i64', 'i64', 'i64', 'i64', 'i64'], returns: 'i64_fast' },
    __errno_location: { args: [], returns: 'ptr' },
  }).symbols
  // One address per thread for ever.
  const location = __errno_location()
  const texts = new Uint8Array(2 * TEXT_SIZE)
  const start = ffi.ptr(texts)
  const encoder = new TextEncoder()
  let free = 0
  const addressOf = (argument: Exclude<Argument, number>): number => {
    if (typeof argument !== 'string') return ffi.ptr(argument)
    // Two in one call have a place each.
    free = free === 0 ? TEXT_SIZE : 0
    texts[free + encoder.encodeInto(argument, texts.subarray(free, free + TEXT_SIZE - 1)).written] = 0
    return start + free
  }
  return {
    constants,
    call: (name, a = 0, b = 0, c = 0, d = 0, e = 0) =>
      syscall(
        numbers[name],
        // Here, and not in a function: a plugin comes here sixty times, in code that is never compiled.
        typeof a === 'number' ? a : addressOf(a),
        typeof b === 'number' ? b : addressOf(b),
        typeof c === 'number' ? c : addressOf(c),
        typeof d === 'number' ? d : addressOf(d),
        typeof e === 'number' ? e : addressOf(e),
      ),
    errno: () => ffi.read.i32(location, 0),
  }
}

/** Without `node:fs`. */
function fileConstants(): Kernel['constants'] | undefined {
  return foreign().process.binding?.('constants').fs
}

// foreign API without types: the parse boundary
const foreign = () =>
  globalThis as unknown as {
    Bun?: { FFI?: Ffi }
    process: { binding?(name: 'constants'): { fs: Kernel['constants'] } }
  }
