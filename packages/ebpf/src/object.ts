import { posix } from 'node:path'
import { filesystemProblem } from './bpffs.ts'
import { call, cString, OBJ_GET, OBJ_INFO, OBJ_PIN } from './call.ts'
import { FOR_MAPS } from './capabilities.ts'
import { describeValue, EbpfError, invalid } from './errors.ts'
import type { Kernel } from './kernel.ts'

/** An open BPF map or program: a descriptor that can be closed. A second call of `close` does nothing. */
export class KernelObject {
  readonly kernel: Kernel
  readonly what: string
  #fd: number | undefined

  constructor(kernel: Kernel, fd: number, what: string) {
    this.kernel = kernel
    this.what = what
    this.#fd = fd
  }

  get fd(): number {
    if (this.#fd !== undefined) return this.#fd
    throw new EbpfError('CLOSED', `The ${this.what} is closed`)
  }

  close(): void {
    const fd = this.#fd
    this.#fd = undefined
    if (fd !== undefined) this.kernel.close(fd)
  }

  pin(path: string): void {
    pin(this.kernel, this.fd, path, this.what)
  }

  info(size: number): Buffer {
    return info(this.kernel, this.fd, size, this.what)
  }
}

/** Validates a BPF name, because the kernel would refuse it without an explanation. */
export function checkName(name: unknown, of: string): string {
  if (typeof name === 'string' && /^[A-Za-z0-9_.]{1,15}$/.test(name)) return name
  return invalid(`Not a name of a ${of}: ${describeValue(name)}; expected 1 to 15 of A-Z a-z 0-9 _ and the dot`)
}

/** Encodes the name of a BPF map or program in 16 bytes, as four members of the struct `bpf_attr`. */
export function nameBytes(name: string): readonly (readonly [number, number])[] {
  const bytes = Buffer.alloc(16)
  bytes.write(name, 'latin1')
  return [0, 4, 8, 12].map((at) => [at, bytes.readInt32LE(at)])
}

/** Opens a BPF map or program that is pinned at a path. Throws `EbpfError`: `NOT_FOUND`, `NO_BPFFS`, `EPERM` … */
export function openPinned(kernel: Kernel, path: string, what: string): number {
  const file = checkPath(path)
  try {
    return call(kernel, {
      ...{ command: OBJ_GET, size: 16, members: [[0, cString(file)]], needs: FOR_MAPS },
      what: `Open ${what} ${file}`,
      means: {
        ENOENT: ['NOT_FOUND', 'nothing is pinned there'],
        EACCES: ['EPERM', 'the permissions of the pin do not allow it, or the file is not a pin'],
      },
    }).result
  } catch (error) {
    throw explained(kernel, file, error)
  }
}

function pin(kernel: Kernel, fd: number, path: string, what: string): void {
  const file = checkPath(path)
  try {
    call(kernel, {
      ...{ command: OBJ_PIN, size: 16, needs: FOR_MAPS },
      members: [
        [0, cString(file)],
        [8, fd],
      ],
      what: `Pin ${what} to ${file}`,
      means: {
        EEXIST: ['EXISTS', 'something is pinned there already'],
        ENOENT: ['NOT_FOUND', `the folder ${posix.dirname(file)} does not exist`],
      },
    })
  } catch (error) {
    throw explained(kernel, file, error)
  }
}

/** Adds the probable reason to a pin's error if the path is not on a visible bpf file system. */
function explained(kernel: Kernel, file: string, error: unknown): unknown {
  if (!(error instanceof EbpfError)) return error
  const problem = filesystemProblem(kernel, file)
  if (problem === undefined) return error
  return new EbpfError(problem.code ?? error.code, `${error.message}; ${problem.text}`, { cause: error })
}

function checkPath(path: unknown): string {
  if (typeof path === 'string' && posix.isAbsolute(path) && !path.includes('\0')) {
    // Rejects a dot in the name of a pin, because the kernel would only report a misleading EPERM.
    if (posix.basename(path).includes('.'))
      invalid(`Not a name of a pin: ${describeValue(path)}; the kernel does not allow a dot in it`)
    return path
  }
  return invalid(`Not a path of a pin: ${describeValue(path)}; expected an absolute one`)
}

function info(kernel: Kernel, fd: number, size: number, what: string): Buffer {
  const bytes = Buffer.alloc(size)
  call(kernel, {
    ...{ command: OBJ_INFO, size: 16, needs: FOR_MAPS, what: `Ask about ${what}` },
    members: [
      [0, fd],
      [4, size],
      [8, bytes],
    ],
  })
  return bytes
}
