import { POLLIN, Watcher } from '../loop/descriptors.ts'
import { call } from '../sys/numbers.ts'
import { signalNames } from '../sys/signal-names.ts'

const P_PIDFD = 3
const WNOHANG = 1
export const WEXITED = 4
const CLD_EXITED = 1

/** Positions of members in the kernel's struct siginfo, as indexes of 4-byte words. */
const CODE = 2
const STATUS = 6

/** Allocates memory for the kernel's struct siginfo, which `waitid` fills. */
export const siginfo = (): Int32Array => new Int32Array(32)

/** Reads struct siginfo: the exit code of a child process, or the Unix signal that killed the process. */
export function readExit(info: Int32Array): readonly [code: number | null, signal: string | null] {
  const status = info[STATUS] ?? 0
  return info[CODE] === CLD_EXITED ? [status, null] : [null, signalNames[status] ?? `SIG${status}`]
}

/** Calls back after a child process has ended, with the exit code or the killing Unix signal. */
export function waitForExit(pid: number, callback: (code: number | null, signal: string | null) => void): Watcher {
  const fd = call('pidfd_open', pid, 0)
  const watcher = new Watcher(fd, POLLIN, () => {
    const info = siginfo()
    const result = call('waitid', P_PIDFD, fd, info, WEXITED | WNOHANG, null)
    // Continues to wait: waitid with the flag WNOHANG reports pid 0 while the child is running.
    if (result === 0 && info[CODE] === 0) return
    watcher.stop()
    call('close', fd)
    if (result < 0) callback(null, null)
    else callback(...readExit(info))
  })
  return watcher
}
