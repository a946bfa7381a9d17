import { POLLIN, Watcher } from '../loop/descriptors.ts'
import { call } from '../sys/numbers.ts'
import { signalNames } from '../sys/signal-names.ts'

const P_PIDFD = 3
const WNOHANG = 1
export const WEXITED = 4
const CLD_EXITED = 1

/** Indexes of members of struct siginfo, in words of 4 bytes. */
const CODE = 2
const STATUS = 6

/** Allocates struct siginfo for `waitid`. */
export const siginfo = (): Int32Array => new Int32Array(32)

/** Exit code or signal of an ended process. */
export function readExit(info: Int32Array): readonly [code: number | null, signal: string | null] {
  const status = info[STATUS] ?? 0
  return info[CODE] === CLD_EXITED ? [status, null] : [null, signalNames[status] ?? `SIG${status}`]
}

/** Calls back after the child has ended. */
export function waitForExit(pid: number, callback: (code: number | null, signal: string | null) => void): Watcher {
  const fd = call('pidfd_open', pid, 0)
  const watcher = new Watcher(fd, POLLIN, () => {
    const info = siginfo()
    const result = call('waitid', P_PIDFD, fd, info, WEXITED | WNOHANG, null)
    // Pid 0 means that the child is still running, because the flag is WNOHANG.
    if (result === 0 && info[CODE] === 0) return
    watcher.stop()
    call('close', fd)
    if (result < 0) callback(null, null)
    else callback(...readExit(info))
  })
  return watcher
}
