import { closeSync, constants, opendirSync, openSync, readSync } from 'node:fs'
import { join } from 'node:path'
import { podCgroup } from './pod-cgroup.ts'

/** Lists at most `max` names in a folder. `isCut` is true if the folder has more names. */
export function namesIn(folder: string, max: number): { readonly names: readonly string[]; readonly isCut: boolean } {
  const opened = opendirSync(folder)
  try {
    const names: string[] = []
    for (let entry = opened.readSync(); entry !== null; entry = opened.readSync()) {
      if (names.length === max) return { names, isCut: true }
      names.push(entry.name)
    }
    return { names, isCut: false }
  } finally {
    opened.closeSync()
  }
}

/** Lists the IDs of all processes on the node, as text. */
export const processIds = (hostProc: string): readonly string[] =>
  namesIn(hostProc, MAX_PROCESSES).names.filter((name) => /^[1-9][0-9]*$/.test(name))

/** Finds the UID of a process's pod in the process's control groups. */
export function podOfProcess(hostProc: string, pid: string): string | undefined {
  const text = beginningOf(join(hostProc, pid, 'cgroup'))
  return (text === undefined ? undefined : podCgroup(text)?.uid) || undefined
}

/** Reads the start time of a process in clock ticks since boot. `Infinity` if the start time is unknown. */
export function startTimeOf(hostProc: string, pid: string): number {
  const stat = beginningOf(join(hostProc, pid, 'stat')) ?? ''
  // The program's name is in parentheses, and may itself contain parentheses and spaces.
  const text = stat.slice(stat.lastIndexOf(')') + 1).split(' ')[20] ?? ''
  return /^\d+$/.test(text) ? Number(text) : Number.POSITIVE_INFINITY
}

/** Compares two processes: the older one comes first, and equal start times are ordered by process ID. */
export const olderFirst = (a: StartedProcess, b: StartedProcess): number =>
  // Compares equal start times without a subtraction, because the difference of two unknown times (`Infinity`) is NaN.
  (a.startTime === b.startTime ? 0 : a.startTime - b.startTime) || Number(a.pid) - Number(b.pid)

/** Process ID with the start time of the process. */
export interface StartedProcess {
  readonly pid: string
  readonly startTime: number
}

// internal

/** Limit of listed processes. Linux permits up to 2^22 process IDs, and a healthy node has far fewer processes. */
const MAX_PROCESSES = 1 << 18
/** Buffer for reading files of a process in procfs. Longer files are ignored. */
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
    return undefined // The process has ended, or the agent has no permission to read its files.
  } finally {
    if (fd !== undefined) closeSync(fd)
  }
}
