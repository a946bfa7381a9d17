import { coded } from '../errors.ts'
import { EventEmitter, type Listener } from '../events/emitter.ts'
import { POLLIN, Watcher } from '../loop/descriptors.ts'
import { nextTick } from '../loop/ticks.ts'
import { callError } from '../sys/errno.ts'
import { call } from '../sys/numbers.ts'
import { type AddressInfo, AF_INET, AF_INET6, AF_UNIX, ipAddress, readAddress, unixAddress } from './address.ts'
import { openSocket } from './attempt.ts'
import { lookupHost } from './lookup.ts'
import { Socket } from './socket.ts'

const SOCK_CLOEXEC_NONBLOCK = 0o2004000
const SOL_SOCKET = 1
const SO_REUSEADDR = 2
const BACKLOG = 511
const AT_FDCWD = -100
const EINVAL = -22

export interface ServerOptions {
  readonly allowHalfOpen?: boolean
}

interface ListenOptions {
  readonly path?: string
  readonly host?: string
  readonly port?: number
  readonly fd?: number
  readonly backlog?: number
  readonly signal?: AbortSignal
}

/** Server that accepts connections on a unix socket or a TCP port. */
export class Server extends EventEmitter {
  listening = false
  #watcher: Watcher | undefined
  #path: string | undefined
  #isClosing = false
  readonly #sockets = new Set<Socket>()
  readonly #options: ServerOptions

  constructor(options: ServerOptions | Listener = {}, listener?: Listener) {
    super()
    this.#options = typeof options === 'function' ? {} : options
    const onConnection = typeof options === 'function' ? options : listener
    if (onConnection !== undefined) this.on('connection', onConnection)
  }

  get connections(): ReadonlySet<Socket> {
    return this.#sockets
  }

  /** Overloads of the server's `listen`: `listen(path | port | options, host?, listener?)`. */
  listen(where: string | number | ListenOptions, ...rest: readonly unknown[]): this {
    const host = rest.find((one) => typeof one === 'string')
    const listener = rest.find((one): one is Listener => typeof one === 'function')
    if (listener !== undefined) this.once('listening', listener)
    const options = optionsOf(where, host)
    const fd = options.fd ?? this.#bind(options)
    if (fd < 0) {
      const error = callError(fd, 'listen', options.path ?? `${options.host ?? '::'}:${options.port ?? 0}`)
      const { code, message } = error
      const text =
        code === 'EADDRINUSE'
          ? `listen EADDRINUSE: address already in use ${message.split(' ').slice(2).join(' ')}`
          : message
      nextTick(() => this.emit('error', Object.assign(error, { message: text, address: options.path ?? options.host })))
      return this
    }
    this.#path = options.fd === undefined ? options.path : undefined
    this.#watcher = new Watcher(fd, POLLIN, () => this.#accept())
    this.listening = true
    options.signal?.addEventListener('abort', () => this.close(), { once: true })
    nextTick(() => this.emit('listening'))
    return this
  }

  address(): AddressInfo | string | null {
    if (this.#watcher === undefined) return null
    if (this.#path !== undefined) return this.#path
    const bytes = new Uint8Array(128)
    call('getsockname', this.#watcher.fd, bytes, new Uint32Array([bytes.length]))
    return readAddress(bytes) ?? null
  }

  close(callback?: Listener): this {
    const { listening } = this
    if (callback !== undefined) {
      const notRunning = coded(new Error('Server is not running.'), 'ERR_SERVER_NOT_RUNNING')
      this.once('close', () => callback(listening ? undefined : notRunning))
    }
    this.listening = false
    this.#watcher?.stop()
    if (this.#watcher !== undefined) call('close', this.#watcher.fd)
    this.#watcher = undefined
    if (this.#path !== undefined) call('unlinkat', AT_FDCWD, this.#path, 0)
    this.#path = undefined
    this.#isClosing = true
    this.#settle()
    return this
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await new Promise<void>((resolve) => this.close(() => resolve()))
  }

  getConnections(callback: (error: null, count: number) => void): this {
    nextTick(() => callback(null, this.#sockets.size))
    return this
  }

  ref(): this {
    this.#watcher?.ref()
    return this
  }

  unref(): this {
    this.#watcher?.unref()
    return this
  }

  #bind({ path, host = '::', port = 0, backlog = BACKLOG }: ListenOptions): number {
    const name = path === undefined ? lookupHost(host) : undefined
    const address = path === undefined ? ipAddress(name ?? '', port) : unixAddress(path)
    if (address === undefined) return EINVAL
    const family = path !== undefined ? AF_UNIX : name?.includes(':') ? AF_INET6 : AF_INET
    const fd = openSocket(family)
    if (fd < 0) return fd
    if (family !== AF_UNIX) call('setsockopt', fd, SOL_SOCKET, SO_REUSEADDR, new Int32Array([1]), 4)
    const bound = call('bind', fd, address, address.length)
    const result = bound < 0 ? bound : call('listen', fd, backlog)
    if (result < 0) call('close', fd)
    return result < 0 ? result : fd
  }

  #accept(): void {
    if (this.#watcher === undefined) return
    const fd = call('accept4', this.#watcher.fd, null, null, SOCK_CLOEXEC_NONBLOCK)
    // A failed accept4 needs no handling, because the next event calls accept4 again.
    if (fd < 0) return
    const socket = new Socket({ fd, ...this.#options })
    this.#sockets.add(socket)
    socket.once('close', () => {
      this.#sockets.delete(socket)
      this.#settle()
    })
    this.emit('connection', socket)
  }

  #settle(): void {
    if (!this.#isClosing || this.#sockets.size > 0) return
    this.#isClosing = false
    nextTick(() => this.emit('close'))
  }
}

function optionsOf(where: string | number | ListenOptions, host: string | undefined): ListenOptions {
  if (typeof where === 'object') return where
  if (typeof where === 'string' && !/^\d+$/.test(where)) return { path: where }
  return { port: Number(where), ...(host === undefined ? {} : { host }) }
}
