import { bufferFrom } from '../buffer/buffer.ts'
import { coded } from '../errors.ts'
import type { EventName, Listener } from '../events/emitter.ts'
import { nextTick } from '../loop/ticks.ts'
import { Chunks } from './chunks.ts'
import { chunksOf } from './chunks-of.ts'
import { iterate } from './iterate.ts'
import { every, filter, find, forEach, map, some, toArray } from './operators.ts'
import { type PipeTarget, pipe, unpipe } from './pipe.ts'
import { Stream, type StreamOptions } from './stream.ts'

export interface ReadableOptions extends StreamOptions {
  readonly encoding?: string
  readonly read?: (size: number) => void
}

/** Readable stream: flowing, with `data` events, or paused, with `readable` events and `read`. */
export class Readable extends Stream implements AsyncIterable<unknown> {
  readonly readableHighWaterMark: number
  readonly readableObjectMode: boolean
  readableFlowing: boolean | null = null
  readableEnded = false
  readableEncoding: string | null = null
  readonly #chunks: Chunks
  #isEnded = false
  #isReading = false
  #isFlowScheduled = false
  #isReadableScheduled = false

  constructor(options: ReadableOptions = {}) {
    super(options)
    this.readableObjectMode = options.objectMode ?? false
    this.#chunks = new Chunks(this.readableObjectMode)
    this.readableHighWaterMark = options.highWaterMark ?? (this.readableObjectMode ? 16 : 65_536)
    if (options.read !== undefined) this._read = options.read
    if (options.encoding !== undefined) this.setEncoding(options.encoding)
  }

  /** Implements `Readable.from`: creates a stream of the values of an iterable. */
  static from(source: Iterable<unknown> | AsyncIterable<unknown>, options: ReadableOptions = {}): Readable {
    const isText = typeof source === 'string' || source instanceof Uint8Array
    const values: Iterable<unknown> | AsyncIterable<unknown> = isText ? [source] : source
    return iterate(values, (read, destroy) => new Readable({ objectMode: true, ...options, read, destroy }))
  }

  _read(_size: number): void {
    this.destroy(coded(new Error('The _read() method is not implemented'), 'ERR_METHOD_NOT_IMPLEMENTED'))
  }

  get readable(): boolean {
    return !this.destroyed && !this.readableEnded
  }

  get readableLength(): number {
    return this.#chunks.length
  }

  get readableAborted(): boolean {
    return this.destroyed && !this.readableEnded
  }

  /** Adds a chunk to the stream's unread data; subclasses call `push`. Returns false if the buffer is full. */
  push(chunk: unknown, encoding?: string): boolean {
    this.#isReading = false
    if (chunk === null) {
      this.#pushEnd()
      return false
    }
    if (this.#isEnded) {
      this.destroy(coded(new Error('stream.push() after EOF'), 'ERR_STREAM_PUSH_AFTER_EOF'))
      return false
    }
    this.#chunks.add(typeof chunk === 'string' && !this.readableObjectMode ? bufferFrom(chunk, encoding) : chunk)
    if (this.readableFlowing === true) this.#scheduleFlow()
    else this.#announce()
    return this.#chunks.length < this.readableHighWaterMark
  }

  unshift(chunk: unknown): void {
    this.#chunks.putBack(chunk)
    if (this.readableFlowing === true) this.#scheduleFlow()
    else this.#announce()
  }

  read(size?: number): unknown {
    if (size === 0) {
      this.#readMore()
      return null
    }
    const taken = this.#take(size)
    this.#readMore()
    if (this.#isEnded && this.#chunks.length === 0) this.#scheduleEnd()
    return taken
  }

  override on(name: EventName, listener: Listener): this {
    super.on(name, listener)
    if (name === 'data' && this.readableFlowing !== false) this.resume()
    if (name === 'readable') {
      this.readableFlowing = false
      if (this.#chunks.length > 0 || this.#isEnded) this.#announce()
      else nextTick(() => this.#readMore())
    }
    return this
  }

  resume(): this {
    if (this.listenerCount('readable') > 0) return this
    if (this.readableFlowing !== true) {
      this.readableFlowing = true
      nextTick(() => this.readableFlowing === true && this.emit('resume'))
      this.#scheduleFlow()
    }
    return this
  }

  pause(): this {
    if (this.readableFlowing !== false) {
      this.readableFlowing = false
      this.emit('pause')
    }
    return this
  }

  isPaused(): boolean {
    return this.readableFlowing === false
  }

  setEncoding(encoding: string): this {
    this.readableEncoding = this.#chunks.decode(encoding)
    return this
  }

  pipe<T extends PipeTarget>(target: T, options?: { readonly end?: boolean }): T {
    pipe(this, target, options?.end !== false)
    return target
  }

  unpipe(target?: PipeTarget): this {
    unpipe(this, target)
    return this
  }

  [Symbol.asyncIterator](): AsyncGenerator {
    return chunksOf(this)
  }

  toArray(): Promise<unknown[]> {
    return toArray(this)
  }

  forEach(callback: (value: unknown) => unknown): Promise<void> {
    return forEach(this, callback)
  }

  map(callback: (value: unknown) => unknown): Readable {
    return Readable.from(map(this, callback))
  }

  filter(callback: (value: unknown) => unknown): Readable {
    return Readable.from(filter(this, callback))
  }

  find(callback: (value: unknown) => unknown): Promise<unknown> {
    return find(this, callback)
  }

  some(callback: (value: unknown) => unknown): Promise<boolean> {
    return some(this, callback)
  }

  every(callback: (value: unknown) => unknown): Promise<boolean> {
    return every(this, callback)
  }

  #pushEnd(): void {
    if (this.#isEnded) return
    this.#isEnded = true
    this.#chunks.end()
    if (this.readableFlowing === true) this.#scheduleFlow()
    else this.#announce()
  }

  #take(size?: number): unknown {
    if (size !== undefined && size > this.#chunks.length && !this.#isEnded) return null
    const one = this.readableFlowing === true && size === undefined
    return one ? this.#chunks.takeFirst() : this.#chunks.takeAll(size)
  }

  #readMore(): void {
    if (this.#isReading || this.#isEnded || this.destroyed || this.#chunks.length >= this.readableHighWaterMark) return
    this.#isReading = true
    this._read(this.readableHighWaterMark)
  }

  #announce(): void {
    if (this.#isReadableScheduled || this.listenerCount('readable') === 0) return
    this.#isReadableScheduled = true
    nextTick(() => {
      this.#isReadableScheduled = false
      if (this.destroyed && this.errored !== null) return
      if (this.#chunks.length > 0 || this.#isEnded) this.emit('readable')
      if (this.#isEnded && this.#chunks.length === 0) this.#scheduleEnd()
      this.#readMore()
    })
  }

  #scheduleFlow(): void {
    if (this.#isFlowScheduled) return
    this.#isFlowScheduled = true
    nextTick(() => {
      this.#isFlowScheduled = false
      this.#flow()
    })
  }

  #flow(): void {
    while (this.readableFlowing === true && !this.destroyed) {
      const chunk = this.#take()
      if (chunk === null) break
      this.emit('data', chunk)
    }
    if (this.destroyed || this.readableFlowing !== true) return
    if (this.#isEnded && this.#chunks.length === 0) this.#scheduleEnd()
    else this.#readMore()
  }

  #scheduleEnd(): void {
    if (this.readableEnded) return
    nextTick(() => {
      if (this.readableEnded || this.errored !== null || this.#chunks.length > 0) return
      this.readableEnded = true
      this.emit('end')
      this.afterEnd()
    })
  }

  /** Destroys the stream after its end, except a Duplex with an open writable half. */
  protected afterEnd(): void {
    if (this.autoDestroy) this.destroy()
  }
}
