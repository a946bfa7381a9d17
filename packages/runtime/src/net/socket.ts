import { Buffer } from '../buffer/buffer.ts'
import type { Listener } from '../events/emitter.ts'
import { POLLIN, POLLOUT, Watcher } from '../loop/descriptors.ts'
import { nextTick } from '../loop/ticks.ts'
import { Timeout } from '../loop/timers.ts'
import { Duplex } from '../stream/duplex.ts'
import type { Done } from '../stream/stream.ts'
import { callError } from '../sys/errno.ts'
import { call } from '../sys/numbers.ts'
import { type AddressInfo, socketName } from './address.ts'
import { connectError } from './connect-error.ts'
import { Dial } from './dial.ts'
import type { Target } from './target.ts'

const EAGAIN = -11
const EINTR = -4
const CHUNK = 65_536
const SOL_SOCKET = 1
const SHUT_WR = 1
const MSG_NOSIGNAL = 0x4000
const IPPROTO_TCP = 6
const TCP_NODELAY = 1
const SO_KEEPALIVE = 9

export interface SocketOptions {
  readonly fd?: number
  readonly allowHalfOpen?: boolean
  readonly signal?: AbortSignal
  readonly timeout?: number
}

/** Connection over a unix socket or TCP. */
export class Socket extends Duplex {
  connecting = false
  pending = true
  bytesRead = 0
  bytesWritten = 0
  timeout = 0
  #watcher: Watcher | undefined
  #flush: (() => void) | undefined
  #onConnected: (() => void)[] = []
  #timer: Timeout | undefined
  #dial: Dial | undefined
  #hasRef = true

  constructor(options: SocketOptions = {}) {
    const { allowHalfOpen = false, signal } = options
    super({ allowHalfOpen, ...(signal === undefined ? {} : { signal }) })
    if (options.timeout !== undefined) this.setTimeout(options.timeout)
    if (options.fd !== undefined) this.#open(options.fd)
  }

  /** Object with the descriptor of the socket. Libraries for Node.js read the descriptor from `_handle.fd`. */
  get _handle(): { readonly fd: number } | null {
    return this.#watcher === undefined ? null : { fd: this.#watcher.fd }
  }

  get readyState(): 'opening' | 'open' | 'readOnly' | 'writeOnly' | 'closed' {
    if (this.connecting) return 'opening'
    if (this.readable && this.writable) return 'open'
    return this.readable ? 'readOnly' : this.writable ? 'writeOnly' : 'closed'
  }

  get remoteAddress(): string | undefined {
    return socketName('getpeername', this.#watcher?.fd)?.address
  }

  get remotePort(): number | undefined {
    return socketName('getpeername', this.#watcher?.fd)?.port
  }

  get remoteFamily(): string | undefined {
    return socketName('getpeername', this.#watcher?.fd)?.family
  }

  get localAddress(): string | undefined {
    return socketName('getsockname', this.#watcher?.fd)?.address
  }

  get localPort(): number | undefined {
    return socketName('getsockname', this.#watcher?.fd)?.port
  }

  address(): AddressInfo | Record<string, never> {
    return socketName('getsockname', this.#watcher?.fd) ?? {}
  }

  connectTo(target: Target, listener?: Listener): this {
    if (listener !== undefined) this.once('connect', listener)
    this.connecting = true
    this.#dial = new Dial(target, (result, tried) => {
      this.#dial = undefined
      if (result < 0) this.destroy(connectError(tried, result))
      else this.#connected(result)
    })
    this.#dial.setRef(this.#hasRef)
    return this
  }

  override _read(): void {
    if (this.connecting) this.#onConnected.push(() => this.#want(POLLIN))
    else this.#want(POLLIN)
  }

  override _write(chunk: unknown, _encoding: string, done: Done): void {
    let rest = chunk instanceof Uint8Array ? chunk : new Uint8Array(0)
    const flush = (): void => {
      while (rest.length > 0 && this.#watcher !== undefined) {
        const count = call('sendto', this.#watcher.fd, rest, rest.length, MSG_NOSIGNAL, null, 0)
        if (count === EINTR) continue
        if (count === EAGAIN) {
          this.#flush = flush
          this.#want(POLLOUT)
          return
        }
        if (count < 0) {
          done(callError(count, 'write'))
          return
        }
        this.bytesWritten += count
        rest = rest.subarray(count)
        this.#timer?.refresh()
      }
      done()
    }
    if (this.connecting) this.#onConnected.push(flush)
    else flush()
  }

  override _final(done: Done): void {
    const shut = (): void => {
      if (this.#watcher !== undefined) call('shutdown', this.#watcher.fd, SHUT_WR)
      done()
    }
    if (this.connecting) this.#onConnected.push(shut)
    else shut()
  }

  override _destroy(error: Error | null, done: Done): void {
    this.connecting = false
    this.#timer?.close()
    this.#dial?.cancel()
    this.#watcher?.stop()
    if (this.#watcher !== undefined) call('close', this.#watcher.fd)
    this.#watcher = undefined
    done(error)
  }

  destroySoon(): void {
    if (this.writableFinished) this.destroy()
    else {
      this.once('finish', () => this.destroy())
      this.end()
    }
  }

  setTimeout(ms: number, listener?: Listener): this {
    this.timeout = ms
    this.#timer?.close()
    this.#timer = ms > 0 ? new Timeout(() => this.emit('timeout'), ms, false).unref() : undefined
    if (listener !== undefined && ms > 0) this.once('timeout', listener)
    return this
  }

  setNoDelay(isOn = true): this {
    return this.#setOption(IPPROTO_TCP, TCP_NODELAY, isOn)
  }

  setKeepAlive(isOn = false): this {
    return this.#setOption(SOL_SOCKET, SO_KEEPALIVE, isOn)
  }

  ref(): this {
    return this.#setRef(true)
  }

  unref(): this {
    return this.#setRef(false)
  }

  #setRef(hasRef: boolean): this {
    this.#hasRef = hasRef
    this.#dial?.setRef(hasRef)
    if (hasRef) this.#watcher?.ref()
    else this.#watcher?.unref()
    return this
  }

  #setOption(level: number, option: number, isOn: boolean): this {
    const set = (): void => {
      if (this.#watcher !== undefined)
        call('setsockopt', this.#watcher.fd, level, option, new Int32Array([Number(isOn)]), 4)
    }
    if (this.connecting) this.#onConnected.push(set)
    else set()
    return this
  }

  #open(fd: number): void {
    this.#attach(fd)
    this.pending = false
    nextTick(() => this.read(0))
  }

  #attach(fd: number): void {
    this.#watcher = new Watcher(fd, 0, (events) => this.#ready(events))
    if (!this.#hasRef) this.#watcher.unref()
  }

  #want(events: number): void {
    if (this.#watcher !== undefined) this.#watcher.events |= events
  }

  #ready(events: number): void {
    if ((events & POLLOUT) !== 0 && this.#watcher !== undefined) {
      this.#watcher.events &= ~POLLOUT
      this.#flush?.()
    }
    if ((events & ~POLLOUT) !== 0) this.#receive()
  }

  #connected(fd: number): void {
    this.#attach(fd)
    this.connecting = false
    this.pending = false
    for (const action of this.#onConnected.splice(0)) action()
    this.emit('connect')
    this.emit('ready')
    this.read(0)
  }

  #receive(): void {
    const { fd } = this.#watcher ?? { fd: -1 }
    const buffer = new Buffer(CHUNK)
    const count = call('read', fd, buffer, CHUNK)
    if (count === EAGAIN || count === EINTR) return
    if (this.#watcher !== undefined) this.#watcher.events &= ~POLLIN
    this.#timer?.refresh()
    if (count < 0) this.destroy(callError(count, 'read'))
    else if (count === 0) {
      this.push(null)
      // Reads the end of the input even if the program does not. Otherwise the socket could not close.
      if (this.readableLength === 0) this.read()
    } else {
      this.bytesRead += count
      this.push(buffer.subarray(0, count))
    }
  }
}
