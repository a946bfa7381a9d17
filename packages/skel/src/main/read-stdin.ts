import { closeSync, constants, fstatSync, openSync, readFileSync, readSync } from 'node:fs'
import { errnoOf } from '@cni/types'

/** Reads stdin without blocking the event loop, because the deadline and SIGTERM must work. */
export async function readStdin(): Promise<Uint8Array> {
  const stdin = fstatSync(0)
  if (stdin.isFile()) return readFileSync(0)
  const pipe = stdin.isFIFO() ? openPipe() : undefined
  return pipe === undefined ? readStream() : readPipe(pipe)
}

/** Reopens stdin as non-blocking, because Node.js cannot exit during a blocking read. */
function openPipe(): number | undefined {
  try {
    return openSync('/proc/self/fd/0', constants.O_RDONLY | constants.O_NONBLOCK)
  } catch {
    // Stdin is read as a stream instead: /proc is missing, or the pipe has another owner.
    return undefined
  }
}

async function readPipe(fd: number): Promise<Uint8Array> {
  const chunks: Uint8Array[] = []
  try {
    for (;;) {
      const chunk = readChunk(fd)
      if (chunk === 'again') await new Promise((resolve) => setTimeout(resolve, 1))
      else if (chunk.length > 0) chunks.push(chunk)
      else return Buffer.concat(chunks)
    }
  } finally {
    closeSync(fd)
  }
}

function readChunk(fd: number): Uint8Array | 'again' {
  const buffer = Buffer.alloc(65_536)
  try {
    return buffer.subarray(0, readSync(fd, buffer))
  } catch (error) {
    const errno = errnoOf(error)
    if (errno === 'EAGAIN' || errno === 'EINTR') return 'again'
    throw error
  }
}

/** Reads stdin as a stream, for terminals, devices and sockets. */
async function readStream(): Promise<Uint8Array> {
  const chunks: Uint8Array[] = []
  for await (const chunk of process.stdin) chunks.push(chunk)
  return Buffer.concat(chunks)
}
