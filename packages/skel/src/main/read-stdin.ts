import { closeSync, constants, fstatSync, openSync, readFileSync, readSync } from 'node:fs'
import { tryLoadSys } from '@cni/netns/sys'
import { errnoOf } from '@cni/types'

/**
 * Reads stdin to its end, without ever blocking the event loop: a runtime that does not close it must not keep the
 * deadline and SIGTERM from working.
 */
export async function readStdin(): Promise<Uint8Array> {
  const stdin = fstatSync(0)
  if (stdin.isFile()) return readFileSync(0)
  const read = stdin.isFIFO() ? openPipe() : stdin.isSocket() ? openSocket() : undefined
  return read === undefined ? readStream() : readAll(read)
}

/** Of `constants` of `@cni/netns/sys`, an object that a plugin would make at every start. */
const MSG_DONTWAIT = 0x40

/** What can be read without waiting, of a descriptor that is closed at the end. */
interface Readable extends Disposable {
  /** The number of bytes that it has written into the buffer, none at the end. Throws `EAGAIN` where there is nothing yet. */
  read(buffer: Uint8Array): number
}

/**
 * A pipe, the usual case, by a second, non-blocking description of it. `process.stdin` costs 4 ms more on bun, and a read in
 * Node's thread pool would keep the process from exiting as long as the pipe is open.
 */
function openPipe(): Readable | undefined {
  try {
    const fd = openSync('/proc/self/fd/0', constants.O_RDONLY | constants.O_NONBLOCK)
    return { read: (buffer) => readSync(fd, buffer), [Symbol.dispose]: () => closeSync(fd) }
  } catch {
    // No /proc, or a pipe of another user: the stream can do it.
    return undefined
  }
}

/** A socket, which a runtime in JavaScript connects. On bun, whose own reader starts two threads for it. */
function openSocket(): Readable | undefined {
  const sys = process.versions.bun === undefined ? undefined : tryLoadSys()
  return sys && { read: (buffer) => sys.recv(0, buffer, MSG_DONTWAIT), [Symbol.dispose]() {} }
}

async function readAll(source: Readable): Promise<Uint8Array> {
  const chunks: Uint8Array[] = []
  // No `using`: what it is compiled to takes every call of a plugin 20 µs.
  try {
    for (;;) {
      const chunk = readChunk(source)
      if (chunk === 'again') await new Promise((resolve) => setTimeout(resolve, 1))
      else if (chunk.length > 0) chunks.push(chunk)
      else return chunks.length === 1 && chunks[0] !== undefined ? chunks[0] : joined(chunks)
    }
  } finally {
    source[Symbol.dispose]()
  }
}

function readChunk(from: Readable): Uint8Array | 'again' {
  const buffer = new Uint8Array(65_536)
  try {
    return buffer.subarray(0, from.read(buffer))
  } catch (error) {
    const errno = errnoOf(error)
    if (errno === 'EAGAIN' || errno === 'EINTR') return 'again'
    throw error
  }
}

/** Reads terminals, devices, and sockets elsewhere; on bun with its own reader, because `process.stdin` takes 3 ms longer. */
async function readStream(): Promise<Uint8Array> {
  if (process.versions.bun !== undefined) {
    // foreign API without types: the parse boundary
    const { Bun } = globalThis as unknown as { Bun: { stdin: { bytes(): Promise<Uint8Array> } } }
    return Bun.stdin.bytes()
  }
  const chunks: Uint8Array[] = []
  for await (const chunk of process.stdin) chunks.push(chunk)
  return joined(chunks)
}

/** A function of its own: the first that names `Buffer` takes a call 0.1 ms. */
const joined = (chunks: readonly Uint8Array[]): Uint8Array => Buffer.concat(chunks)
