import { readExit, siginfo, WEXITED, waitForExit } from '../child/wait.ts'
import { notSupported } from '../errors.ts'
import { host } from '../host.ts'
import { callError } from '../sys/errno.ts'
import { call, callAgain } from '../sys/numbers.ts'
import { exitError } from './child-error.ts'
import type { TlsSettings } from './options.ts'

const AF_UNIX = 1
const SOCK_STREAM_CLOEXEC_NONBLOCK = 0o2004001
const SIGKILL = 9
const P_PID = 1

/** Beginning of an error message. `cni-build` chooses the native program with TLS if a program contains this text. */
const LACKING = 'TLS needs cni-runtime-tls: it'

/** Child process that keeps the network connection and speaks TLS. The methods `wait` and `end` reap the process. */
export class TlsChild {
  /** Descriptor of the parent's end of the socket pair, which carries the decrypted data. */
  readonly fd: number
  #pid: number | undefined
  #exit: Error | undefined

  /** Starts the TLS child process with a copy of the connected socket. */
  constructor(network: number, { ca, cert, key, name, address, insecure }: TlsSettings) {
    if (host.tls === undefined) throw notSupported(LACKING)
    const pair = new Int32Array(2)
    const paired = call('socketpair', AF_UNIX, SOCK_STREAM_CLOEXEC_NONBLOCK, 0, pair)
    if (paired < 0) throw callError(paired, 'socketpair')
    const [own = -1, child = -1] = pair
    const pid = host.tls(network, child, ca, cert, key, name, address, insecure)
    call('close', child)
    if (pid < 0) call('close', own)
    if (pid < 0) throw callError(pid, 'fork')
    this.fd = own
    this.#pid = pid
  }

  /** Reaps the TLS child process and returns the error for its exit code. */
  wait(): Error | undefined {
    const pid = this.#pid
    if (pid === undefined) return this.#exit
    this.#pid = undefined
    const info = siginfo()
    callAgain('waitid', P_PID, pid, info, WEXITED, null)
    this.#exit = exitError(...readExit(info))
    return this.#exit
  }

  /** Kills and reaps the TLS child process. */
  end(): void {
    const pid = this.#pid
    if (pid === undefined) return
    if (call('kill', pid, SIGKILL) === 0) {
      this.wait()
      return
    }
    // The kernel refused to kill the child, which exits when the socket pair closes.
    this.#pid = undefined
    waitForExit(pid, () => {})
  }
}
