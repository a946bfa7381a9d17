import { closeSync, constants, fstatSync, openSync } from 'node:fs'
import { tryLoadSys } from '@cni/netns/sys'

/**
 * Takes stdout for the one document: what anybody else writes to it from now on, children with inherited streams
 * included, goes to stderr.
 *
 * @returns the descriptor that still leads to the real stdout.
 */
export function claimStdout(): number {
  const claimed = process.platform === 'linux' ? (viaProc() ?? viaSys()) : undefined
  redirectStreams()
  return claimed ?? 1
}

/**
 * Claims stdout without FFI. Runtimes connect two pipes, and /proc can open a pipe once more. A file is left
 * to `dup`, because a second description of it would have a position of its own.
 */
function viaProc(): number | undefined {
  let stdout: number | undefined
  let stderr: number | undefined
  try {
    if (!fstatSync(1).isFIFO() || fstatSync(2).isFile()) return undefined
    // Opening a pipe that nobody reads would block for ever; non-blocking it is ENXIO.
    stdout = openSync('/proc/self/fd/1', constants.O_WRONLY | constants.O_NONBLOCK)
    // Both are open before descriptor 1 is given up, because there is no way back.
    stderr = openSync('/proc/self/fd/2', constants.O_WRONLY | constants.O_NONBLOCK)
    closeSync(1)
    // The lowest free number is the one just closed.
    openSync('/proc/self/fd/2', constants.O_WRONLY)
    return stdout
  } catch {
    // No /proc, a socket as stderr, a pipe of another user or without a reader.
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
    // A closed stdout or stderr: nothing to protect, or nowhere to send the rest.
    return undefined
  }
}

/** Redirects writes that do not go through descriptor 1, and all of them when it could not be claimed. */
function redirectStreams(): void {
  // A getter, because touching process.stdout would create the stream and make a pipe non-blocking.
  Object.defineProperty(process, 'stdout', { configurable: true, enumerable: true, get: () => process.stderr })
  const sink = globalThis.console
  for (const method of ['debug', 'dir', 'dirxml', 'info', 'log', 'table'] as const) {
    sink[method] = (...values: unknown[]) => sink.error(...values)
  }
}
