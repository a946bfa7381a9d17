/** Passes bytes to `onData` in pieces, because a large answer must not block other requests. */
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

/** Number of bytes that `onData` gets in one call. */
const PIECE = 256 * 1024

/** Milliseconds for which `onData` calls may run before the event loop gets a turn. */
const BUSY_MS = 10
