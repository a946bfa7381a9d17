import { closeSync, constants, fstatSync, openSync } from 'node:fs'
import { tryLoadSys } from '@cni/netns/sys'

/**
 * Reserves stdout for the result document. All other writes go to stderr from now on, also by children that inherit
 * stdout.
 *
 * @returns the descriptor of the real stdout.
 */
export function claimStdout(): number {
  const claimed = process.platform === 'linux' ? (viaProc() ?? viaSys()) : undefined
  redirectStreams()
  return claimed ?? 1
}

/**
 * Reserves stdout without FFI. Runtimes connect pipes, and /proc can open a pipe a second time.
 * A file needs `dup`, because a second open file description would have its own position.
 */
function viaProc(): number | undefined {
  let stdout: number | undefined
  let stderr: number | undefined
  try {
    if (!fstatSync(1).isFIFO() || fstatSync(2).isFile()) return undefined
    // Non-blocking: opening a pipe without a reader then fails with ENXIO instead of waiting for ever.
    stdout = openSync('/proc/self/fd/1', constants.O_WRONLY | constants.O_NONBLOCK)
    // Opens both before it closes descriptor 1, which cannot be reverted.
    stderr = openSync('/proc/self/fd/2', constants.O_WRONLY | constants.O_NONBLOCK)
    closeSync(1)
    // Open returns the lowest free descriptor, which is 1.
    openSync('/proc/self/fd/2', constants.O_WRONLY)
    return stdout
  } catch {
    // No /proc, a socket as stderr, or a pipe of another user or without a reader.
    if (stdout !== undefined) closeSync(stdout)
    return undefined
  } finally {
    if (stderr !== undefined) closeSync(stderr)
  }
}

function viaSys(): number | undefined {
  try {
    const sys = tryLoadSys()
    if (sys === undefined) return undefined
    const stdout = sys.dup(1)
    sys.dup2(2, 1)
    return stdout
  } catch {
    // Stdout or stderr is closed: there is nothing to protect, or no target for other writes.
    return undefined
  }
}

/** Redirects JavaScript writes to stderr, needed also if descriptor 1 could not be reserved. */
function redirectStreams(): void {
  // A getter, because access to process.stdout would create the stream and make a pipe non-blocking.
  Object.defineProperty(process, 'stdout', { configurable: true, enumerable: true, get: () => process.stderr })
  const sink = globalThis.console
  for (const method of ['debug', 'dir', 'dirxml', 'info', 'log', 'table'] as const) {
    sink[method] = (...values: unknown[]) => sink.error(...values)
  }
}
