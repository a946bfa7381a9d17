import { Buffer } from '../buffer/buffer.ts'
import { defineLazy } from '../define.ts'
import { POLLIN, POLLOUT, Watcher } from '../loop/descriptors.ts'
import { Readable } from '../stream/readable.ts'
import type { Done } from '../stream/stream.ts'
import { Writable } from '../stream/writable.ts'
import { callError } from '../sys/errno.ts'
import { isatty } from '../sys/isatty.ts'
import { call } from '../sys/numbers.ts'
import { process } from './process.ts'

const EAGAIN = -11
const EINTR = -4
const CHUNK = 65_536

/** Output stream that writes at once, so a program may exit after a write. */
class OutputStream extends Writable {
  readonly fd: number
  readonly isTTY: boolean | undefined

  constructor(fd: number) {
    super({ autoDestroy: false })
    this.fd = fd
    this.isTTY = isatty(fd) || undefined
  }

  override _write(chunk: unknown, _encoding: string, done: Done): void {
    let rest = chunk instanceof Uint8Array ? chunk : new Uint8Array(0)
    while (rest.length > 0) {
      const count = call('write', this.fd, rest, rest.length)
      if (count >= 0) rest = rest.subarray(count)
      else if (count === EAGAIN) waitFor(this.fd, POLLOUT)
      else if (count !== EINTR) {
        done(callError(count, 'write'))
        return
      }
    }
    done()
  }
}

function waitFor(fd: number, events: number): void {
  call('ppoll', new Int32Array([fd, events]), 1, null, null, 8)
}

/** Stream for standard input. The event loop polls its descriptor only while the program reads. */
class InputStream extends Readable {
  readonly fd = 0
  readonly isTTY: boolean | undefined
  readonly #watcher = new Watcher(0, 0, () => this.#receive())

  constructor() {
    super({ highWaterMark: CHUNK })
    this.isTTY = isatty(0) || undefined
  }

  override _read(): void {
    this.#watcher.events = POLLIN
    this.#watcher.ref()
  }

  override _destroy(error: Error | null, done: Done): void {
    this.#watcher.stop()
    done(error)
  }

  override pause(): this {
    this.#watcher.events = 0
    this.#watcher.unref()
    return super.pause()
  }

  ref(): this {
    this.#watcher.ref()
    return this
  }

  unref(): this {
    this.#watcher.unref()
    return this
  }

  #receive(): void {
    const buffer = new Buffer(CHUNK)
    const count = call('read', 0, buffer, CHUNK)
    if (count === EAGAIN || count === EINTR) return
    this.#watcher.events = 0
    if (count < 0) this.destroy(callError(count, 'read'))
    else if (count === 0) {
      this.#watcher.stop()
      this.push(null)
    } else this.push(buffer.subarray(0, count))
  }
}

defineLazy(process, 'stdin', () => new InputStream(), true)
defineLazy(process, 'stdout', () => new OutputStream(1), true)
defineLazy(process, 'stderr', () => new OutputStream(2), true)
