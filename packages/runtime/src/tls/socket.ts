import { coded } from '../errors.ts'
import { type AddressInfo, socketName } from '../net/address.ts'
import { Socket } from '../net/socket.ts'
import type { Done } from '../stream/stream.ts'
import { TlsChild } from './child.ts'
import { childError, resetError } from './child-error.ts'
import { type TlsOptions, type TlsSettings, tlsSettings } from './options.ts'
import { REPORT_SIZE, type Report, readReport } from './report.ts'
import { distrustOf } from './trust-error.ts'

const VERSIONS: Readonly<Record<number, string>> = { 771: 'TLSv1.2', 772: 'TLSv1.3' }

type Failure = Error & { code?: string }

/**
 * TLS connection. A child process keeps the network connection; `TLSSocket` reads and writes plain text through a
 * socket pair.
 */
export class TLSSocket extends Socket {
  readonly encrypted = true
  authorized = false
  authorizationError: string | null = null
  readonly #settings: TlsSettings
  #network: Socket | undefined
  #plain: Socket | undefined
  #child: TlsChild | undefined
  #report: Report | undefined
  #head = new Uint8Array(0)
  #peer: AddressInfo | undefined
  #whenSecure: (() => void)[] = []

  constructor(options: TlsOptions) {
    const { signal, timeout } = options
    super({ ...(signal === undefined ? {} : { signal }), ...(timeout === undefined ? {} : { timeout }) })
    this.#settings = tlsSettings(options)
    this.connecting = true
    const network = new Socket()
    this.#network = network
    network.on('error', (error: Error) => void this.destroy(error))
    network.once('connect', () => this.#secure(network))
    network.connectTo({ host: options.host ?? 'localhost', port: Number(options.port ?? 443) })
  }

  override get remoteAddress(): string | undefined {
    return this.#peer?.address
  }

  override get remotePort(): number | undefined {
    return this.#peer?.port
  }

  override get remoteFamily(): string | undefined {
    return this.#peer?.family
  }

  /** TLS version of the connection, `TLSv1.2` or `TLSv1.3`; null before the handshake. */
  getProtocol(): string | null {
    return VERSIONS[this.#report?.version ?? 0] ?? null
  }

  /**
   * Subject and issuer names of the server's certificate. The child process does not send other parts of the
   * certificate.
   */
  getPeerX509Certificate(): { readonly subject: string; readonly issuer: string } | undefined {
    if (this.#report === undefined) return undefined
    const { subject, issuer } = this.#report
    return { subject, issuer }
  }

  override _read(): void {
    this.#plain?.resume()
  }

  override _write(chunk: unknown, _encoding: string, done: Done): void {
    this.#afterHandshake((plain) => {
      this.#active()
      plain.write(chunk, (error?: Failure | null) => done(error ? this.#causeOf(error) : undefined))
    })
  }

  override _final(done: Done): void {
    this.#afterHandshake((plain) => plain.end(() => done()))
  }

  override _destroy(error: Error | null, done: Done): void {
    this.#network?.destroy()
    this.#plain?.destroy()
    this.#child?.end()
    super._destroy(error, done)
  }

  /** Node's `setNoDelay` has no effect in the small runtime, because TCP_NODELAY is always set. */
  override setNoDelay(): this {
    return this
  }

  override setKeepAlive(isOn = false): this {
    this.#network?.setKeepAlive(isOn)
    return this
  }

  override ref(): this {
    this.#plain?.ref()
    this.#network?.ref()
    return this
  }

  override unref(): this {
    this.#plain?.unref()
    this.#network?.unref()
    return this
  }

  #afterHandshake(action: (plain: Socket) => void): void {
    const run = (): void => {
      if (this.#plain !== undefined) action(this.#plain)
    }
    if (this.connecting) this.#whenSecure.push(run)
    else run()
  }

  /** Passes the network connection to a TLS child process, then closes the connection's descriptor in this process. */
  #secure(network: Socket): void {
    const fd = network._handle?.fd ?? -1
    this.#peer = socketName('getpeername', fd)
    network.setNoDelay()
    try {
      this.#child = new TlsChild(fd, this.#settings)
    } catch (error) {
      this.destroy(error instanceof Error ? error : new Error(String(error)))
      return
    }
    network.destroy()
    this.#network = undefined
    this.emit('connect')
    const plain = new Socket({ fd: this.#child.fd, allowHalfOpen: true })
    this.#plain = plain
    plain.on('data', (bytes: Uint8Array) => this.#receive(plain, bytes))
    plain.on('end', () => this.#ended())
    plain.on('error', (error: Failure) => void this.destroy(this.#causeOf(error)))
  }

  #receive(plain: Socket, bytes: Uint8Array): void {
    this.#active()
    if (this.#report === undefined) this.#readHead(bytes)
    else if (!this.push(bytes)) plain.pause()
  }

  #readHead(bytes: Uint8Array): void {
    const head = new Uint8Array(this.#head.length + bytes.length)
    head.set(this.#head)
    head.set(bytes, this.#head.length)
    this.#head = head
    if (head.length < REPORT_SIZE) return
    const report = readReport(head)
    if (report?.stage !== 'ready') {
      this.destroy(
        report === undefined ? coded(new Error('TLS: no report'), 'EPROTO') : childError(report, this.#settings),
      )
      return
    }
    this.#report = report
    const distrust = distrustOf(report, this.#settings)
    if (distrust !== undefined && !this.#settings.insecure) {
      this.destroy(coded(new Error(distrust.message), distrust.code))
      return
    }
    this.authorized = distrust === undefined
    this.authorizationError = distrust?.code ?? null
    this.connecting = false
    this.pending = false
    for (const action of this.#whenSecure.splice(0)) action()
    this.emit('ready')
    this.emit('secureConnect')
    if (head.length > REPORT_SIZE) this.push(head.subarray(REPORT_SIZE))
  }

  #ended(): void {
    const error = this.#child?.wait()
    if (this.#report === undefined) this.destroy(error ?? resetError())
    else if (error !== undefined) this.destroy(error)
    else this.push(null)
  }

  /** Reason for a closed socket pair, from the exit code of the TLS child process. */
  #causeOf(error: Failure): Error {
    const isOver = error.code === 'EPIPE' || error.code === 'ECONNRESET'
    return (isOver ? this.#child?.wait() : undefined) ?? error
  }

  /** Restarts the idle timer that `setTimeout` of the TLS socket has started. */
  #active(): void {
    if (this.timeout > 0) this.setTimeout(this.timeout)
  }
}
