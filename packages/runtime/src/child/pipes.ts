import { Buffer } from '../buffer/buffer.ts'
import { POLLIN, POLLOUT, Watcher } from '../loop/descriptors.ts'
import { Readable } from '../stream/readable.ts'
import type { Done } from '../stream/stream.ts'
import { Writable } from '../stream/writable.ts'
import { callError } from '../sys/errno.ts'
import { call } from '../sys/numbers.ts'

const O_CLOEXEC = 0o2000000
const O_NONBLOCK = 0o4000
const F_SETFL = 4
const EAGAIN = -11
const EINTR = -4
const CHUNK = 65_536

/** Creates a pipe that child processes do not inherit. Returns its descriptors as `[read, write]`. */
export function makePipe(): [read: number, write: number] {
  const fds = new Int32Array(2)
  const result = call('pipe2', fds, O_CLOEXEC)
  if (result < 0) throw callError(result, 'pipe')
  return [fds[0] ?? -1, fds[1] ?? -1]
}

/** Stream that reads the output of a child process from a pipe. */
export class PipeReader extends Readable {
  readonly #watcher: Watcher

  constructor(fd: number) {
    super()
    call('fcntl', fd, F_SETFL, O_NONBLOCK)
    this.#watcher = new Watcher(fd, 0, () => this.#receive())
  }

  override _read(): void {
    this.#watcher.events = POLLIN
  }

  override _destroy(error: Error | null, done: Done): void {
    this.#watcher.stop()
    call('close', this.#watcher.fd)
    done(error)
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
    const count = call('read', this.#watcher.fd, buffer, CHUNK)
    if (count === EAGAIN || count === EINTR) return
    this.#watcher.events = 0
    if (count > 0) this.push(buffer.subarray(0, count))
    else if (count === 0) this.push(null)
    else this.destroy(callError(count, 'read'))
  }
}

/** Stream that writes to the input of a child process through a pipe. */
export class PipeWriter extends Writable {
  readonly #watcher: Watcher
  #flush: (() => void) | undefined

  constructor(fd: number) {
    super()
    call('fcntl', fd, F_SETFL, O_NONBLOCK)
    this.#watcher = new Watcher(fd, 0, () => this.#flush?.())
  }

  override _write(chunk: unknown, _encoding: string, done: Done): void {
    let rest = chunk instanceof Uint8Array ? chunk : new Uint8Array(0)
    this.#flush = () => {
      while (rest.length > 0) {
        const count = call('write', this.#watcher.fd, rest, rest.length)
        if (count === EAGAIN || count === EINTR) {
          this.#watcher.events = POLLOUT
          return
        }
        if (count < 0) {
          this.#watcher.events = 0
          done(callError(count, 'write'))
          return
        }
        rest = rest.subarray(count)
      }
      this.#watcher.events = 0
      done()
    }
    this.#flush()
  }

  override _destroy(error: Error | null, done: Done): void {
    this.#watcher.stop()
    call('close', this.#watcher.fd)
    done(error)
  }

  ref(): this {
    this.#watcher.ref()
    return this
  }

  unref(): this {
    this.#watcher.unref()
    return this
  }
}
