import { POLLOUT, Watcher } from '../loop/descriptors.ts'
import { nextTick } from '../loop/ticks.ts'
import { call } from '../sys/numbers.ts'

const SOCK_STREAM = 1
const SOL_SOCKET = 1
const SO_ERROR = 4
const SOCK_CLOEXEC_NONBLOCK = 0o2004000
const EINVAL = -22
const EINPROGRESS = -115

export const openSocket = (family: number): number => call('socket', family, SOCK_STREAM | SOCK_CLOEXEC_NONBLOCK, 0)

/** Attempt to connect a TCP or unix socket to one address. */
export class Attempt {
  #fd = -1
  #watcher: Watcher | undefined
  #settle: ((result: number) => void) | undefined

  /** Starts to connect. Calls `settle` asynchronously with the descriptor or a negative errno. */
  constructor(address: Uint8Array | undefined, settle: (result: number) => void) {
    this.#settle = settle
    const fd = address === undefined ? EINVAL : openSocket(address[0] ?? 0)
    this.#fd = fd
    const result = address === undefined || fd < 0 ? fd : call('connect', fd, address, address.length)
    if (result === EINPROGRESS) this.#watcher = new Watcher(fd, POLLOUT, () => this.#end(connectResult(fd)))
    else nextTick(() => this.#end(result))
  }

  setRef(hasRef: boolean): void {
    if (hasRef) this.#watcher?.ref()
    else this.#watcher?.unref()
  }

  cancel(): void {
    this.#watcher?.stop()
    this.#settle = undefined
    if (this.#fd >= 0) call('close', this.#fd)
    this.#fd = -1
  }

  #end(result: number): void {
    const settle = this.#settle
    const fd = this.#fd
    // Keeps the connected descriptor open when the attempt ends. The caller now owns the descriptor.
    if (result >= 0) this.#fd = -1
    this.cancel()
    settle?.(result < 0 ? result : fd)
  }
}

/** Reads the result of a connect call that was in progress (SO_ERROR): 0, or a negative errno. */
function connectResult(fd: number): number {
  const error = new Int32Array(1)
  call('getsockopt', fd, SOL_SOCKET, SO_ERROR, error, new Int32Array([4]))
  return -(error[0] ?? 0)
}
