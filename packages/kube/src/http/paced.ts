/**
 * Passes bytes to `onData` in pieces, and yields to the event loop between them.
 * An answer of many megabytes must not block the caller's other requests.
 */
export function paced(onData: (chunk: Uint8Array) => void): (chunk: Uint8Array) => Promise<void> {
  let since = performance.now()
  return async (chunk) => {
    for (let at = 0; at < chunk.length; at += PIECE) {
      if (performance.now() - since > BUSY_MS) {
        await new Promise((resolve) => setImmediate(resolve))
        since = performance.now()
      }
      onData(chunk.subarray(at, at + PIECE))
    }
  }
}

// internal

/** Bytes of one piece. */
const PIECE = 256 * 1024

/** Milliseconds of work before it yields. */
const BUSY_MS = 10
