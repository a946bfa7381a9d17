import { Buffer } from '../buffer/buffer.ts'
import { Readable } from '../stream/readable.ts'
import type { Done } from '../stream/stream.ts'
import { Writable } from '../stream/writable.ts'
import { optionsOf, type PathLike } from './arguments.ts'
import { closeSync, openSync, readSync, writeSync } from './descriptor.ts'

interface Options {
  readonly encoding?: string
  readonly flags?: string
  readonly mode?: number
  readonly fd?: number
  readonly start?: number
  readonly end?: number
  readonly autoClose?: boolean
  readonly highWaterMark?: number
  readonly signal?: AbortSignal
}

const attempt = (done: (error: Error) => void, action: () => void): void => {
  try {
    action()
  } catch (error) {
    done(error instanceof Error ? error : new Error(String(error)))
  }
}

export class ReadStream extends Readable {
  readonly path: PathLike
  fd: number | null
  #at: number | undefined
  readonly #end: number
  readonly #flags: string
  readonly #closes: boolean

  constructor(path: PathLike, options: Options) {
    super({
      ...(options.encoding === undefined ? {} : { encoding: options.encoding }),
      ...(options.signal === undefined ? {} : { signal: options.signal }),
      highWaterMark: options.highWaterMark ?? 65_536,
    })
    this.path = path
    this.fd = options.fd ?? null
    this.#flags = options.flags ?? 'r'
    this.#at = options.start
    this.#end = options.end ?? Number.POSITIVE_INFINITY
    this.#closes = options.autoClose ?? true
  }

  override _read(size: number): void {
    attempt(
      (error) => void this.destroy(error),
      () => {
        this.fd ??= openSync(this.path, this.#flags)
        const room = this.#at === undefined ? size : Math.min(size, this.#end - this.#at + 1)
        const buffer = new Buffer(Math.max(0, room))
        const count = readSync(this.fd, buffer, 0, buffer.length, this.#at)
        if (this.#at !== undefined) this.#at += count
        this.push(count === 0 ? null : buffer.subarray(0, count))
      },
    )
  }

  override _destroy(error: Error | null, done: Done): void {
    if (this.fd !== null && this.#closes) closeSync(this.fd)
    this.fd = null
    done(error)
  }
}

export class WriteStream extends Writable {
  readonly path: PathLike
  fd: number | null
  bytesWritten = 0
  readonly #options: Options

  constructor(path: PathLike, options: Options) {
    super(options.signal === undefined ? {} : { signal: options.signal })
    this.path = path
    this.fd = options.fd ?? null
    this.#options = options
  }

  override _write(chunk: unknown, _encoding: string, done: Done): void {
    attempt(done, () => {
      const fd = this.#open()
      let rest = chunk instanceof Uint8Array ? chunk : new Uint8Array(0)
      this.bytesWritten += rest.length
      while (rest.length > 0) rest = rest.subarray(writeSync(fd, rest))
      done()
    })
  }

  override _final(done: Done): void {
    attempt(done, () => {
      this.#open()
      done()
    })
  }

  override _destroy(error: Error | null, done: Done): void {
    if (this.fd !== null && this.#options.autoClose !== false) closeSync(this.fd)
    this.fd = null
    done(error)
  }

  #open(): number {
    this.fd ??= openSync(this.path, this.#options.flags ?? 'w', this.#options.mode)
    return this.fd
  }
}

export const createReadStream = (path: PathLike, options?: string | Options): ReadStream =>
  new ReadStream(path, optionsOf<Options>(options))

export const createWriteStream = (path: PathLike, options?: string | Options): WriteStream =>
  new WriteStream(path, optionsOf<Options>(options))
