import { closeSync, constants, fstatSync, openSync, readFileSync, readSync } from 'node:fs'
import { errnoOf } from '@cni/types'

/**
 * Reads stdin to its end, without ever blocking the event loop: a runtime that does not close it must not keep the
 * deadline and SIGTERM from working.
 */
export async function readStdin(): Promise<Uint8Array> {
  const stdin = fstatSync(0)
  if (stdin.isFile()) return readFileSync(0)
  return (stdin.isFIFO() ? await readPipe() : undefined) ?? readStream()
}

/**
 * Reads a pipe, the usual case, by polling a second, non-blocking description of it. `process.stdin` costs 4 ms more on
 * bun, and a read in Node's thread pool would keep the process from exiting as long as the pipe is open.
 */
async function readPipe(): Promise<Uint8Array | undefined> {
  let fd: number
  try {
    fd = openSync('/proc/self/fd/0', constants.O_RDONLY | constants.O_NONBLOCK)
  } catch {
    // No /proc, or a pipe of another user: the stream can do it.
    return undefined
  }
  try {
    const chunks: Uint8Array[] = []
    for (;;) {
      const chunk = readChunk(fd)
      if (chunk === 'again') await new Promise((resolve) => setTimeout(resolve, 1))
      else if (chunk.length === 0) return Buffer.concat(chunks)
      else chunks.push(chunk)
    }
  } finally {
    closeSync(fd)
  }
}

function readChunk(fd: number): Uint8Array | 'again' {
  const buffer = Buffer.allocUnsafe(65_536)
  try {
    return buffer.subarray(0, readSync(fd, buffer))
  } catch (error) {
    if (errnoOf(error) === 'EAGAIN') return 'again'
    throw error
  }
}

/** Reads sockets, terminals and devices; on bun with its own reader, because `process.stdin` takes 3 ms longer. */
async function readStream(): Promise<Uint8Array> {
  if (process.versions.bun !== undefined) {
    // foreign API without types: the parse boundary
    const { Bun } = globalThis as unknown as { Bun: { stdin: { bytes(): Promise<Uint8Array> } } }
    return Bun.stdin.bytes()
  }
  const chunks: Uint8Array[] = []
  for await (const chunk of process.stdin) chunks.push(chunk)
  return Buffer.concat(chunks)
}
