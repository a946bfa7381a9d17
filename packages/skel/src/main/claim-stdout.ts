import { closeSync, constants, fstatSync, openSync } from 'node:fs'
import { tryLoadSys } from '@cni/netns/sys'

/** Reserves stdout for the result document, and returns its descriptor. Other writes go to stderr. */
export function claimStdout(): number {
  const claimed = process.platform === 'linux' ? (viaProc() ?? viaSys()) : undefined
  redirectStreams()
  return claimed ?? 1
}

/** Reopens stdout through /proc if it is a pipe. A reopened file would have its own position. */
function viaProc(): number | undefined {
  let stdout: number | undefined
  let stderr: number | undefined
  try {
    if (!fstatSync(1).isFIFO() || fstatSync(2).isFile()) return undefined
    // Uses O_NONBLOCK: the open of a pipe without a reader fails with ENXIO instead of waiting for ever.
    stdout = openSync('/proc/self/fd/1', constants.O_WRONLY | constants.O_NONBLOCK)
    // Opens stderr before it closes descriptor 1, because a failed open must leave stdout intact.
    stderr = openSync('/proc/self/fd/2', constants.O_WRONLY | constants.O_NONBLOCK)
    closeSync(1)
    // open(2) returns the lowest free descriptor, which is 1: descriptor 1 now leads to stderr.
    openSync('/proc/self/fd/2', constants.O_WRONLY)
    return stdout
  } catch {
    // A pipe cannot be reopened if, for example, it has another owner or no reader.
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
    // Stdout or stderr is closed, so stdout cannot be reserved.
    return undefined
  }
}

/** Redirects writes of JavaScript code from stdout to stderr. Needed even if descriptor 1 could not be reserved. */
function redirectStreams(): void {
  // Replaces `process.stdout` without reading its value. Reason: a read would create the stream, which makes a pipe
  // non-blocking.
  Object.defineProperty(process, 'stdout', { configurable: true, enumerable: true, get: () => process.stderr })
  const sink = globalThis.console
  for (const method of ['debug', 'dir', 'dirxml', 'info', 'log', 'table'] as const) {
    sink[method] = (...values: unknown[]) => sink.error(...values)
  }
}
