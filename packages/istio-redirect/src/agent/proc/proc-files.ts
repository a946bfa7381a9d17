import { closeSync, constants, opendirSync, openSync, readSync } from 'node:fs'
import { join } from 'node:path'
import { podCgroup } from './pod-cgroup.ts'

/** The names in a folder, `most` of them. */
export function namesIn(folder: string, most: number): { readonly names: readonly string[]; readonly isCut: boolean } {
  const opened = opendirSync(folder)
  try {
    const names: string[] = []
    for (let entry = opened.readSync(); entry !== null; entry = opened.readSync()) {
      if (names.length === most) return { names, isCut: true }
      names.push(entry.name)
    }
    return { names, isCut: false }
  } finally {
    opened.closeSync()
  }
}

/** The numbers of a node's processes, as text. */
export const processIds = (hostProc: string): readonly string[] =>
  namesIn(hostProc, MOST_PROCESSES).names.filter((name) => /^[1-9][0-9]*$/.test(name))

/** The UID of the pod that a process is of, by its control groups. `undefined`: none, unknown, or the process has ended. */
export function podOfProcess(hostProc: string, pid: string): string | undefined {
  const text = beginningOf(join(hostProc, pid, 'cgroup'))
  return (text === undefined ? undefined : podCgroup(text)?.uid) || undefined
}

/** Clock ticks from boot to the start of a process; `Infinity` if they are unknown. */
export function startTimeOf(hostProc: string, pid: string): number {
  const stat = beginningOf(join(hostProc, pid, 'stat')) ?? ''
  // The name of the program is in parentheses and may hold some itself.
  const text = stat.slice(stat.lastIndexOf(')') + 1).split(' ')[20] ?? ''
  return /^\d+$/.test(text) ? Number(text) : Number.POSITIVE_INFINITY
}

/** Sorts by start time, then by number. */
export const olderFirst = (a: StartedProcess, b: StartedProcess): number =>
  // Two unknown times differ by NaN.
  (a.startTime === b.startTime ? 0 : a.startTime - b.startTime) || Number(a.pid) - Number(b.pid)

/** A process with the time it started at. */
export interface StartedProcess {
  readonly pid: string
  readonly startTime: number
}

// internal

/** Linux has at most 2^22 process numbers; a node that has more processes than this has other problems. */
const MOST_PROCESSES = 1 << 18
/** A path of a control group has at most 4096 characters. A longer file is not one of the kernel's that is read here. */
const buffer = Buffer.alloc(16 * 1024)

function beginningOf(path: string): string | undefined {
  let fd: number | undefined
  try {
    fd = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK)
    let size = 0
    for (let read = -1; read !== 0; size += read) {
      if (size === buffer.length) return undefined
      read = readSync(fd, buffer, size, buffer.length - size, null)
    }
    return buffer.toString('utf8', 0, size)
  } catch {
    return undefined // the process has ended, or may not be looked at
  } finally {
    if (fd !== undefined) closeSync(fd)
  }
}
