import { bufferFrom } from '../buffer/buffer.ts'
import { coded, invalidType } from '../errors.ts'
import { nextTick } from '../loop/ticks.ts'
import type { Done, Stream, StreamOptions } from './stream.ts'

export interface WritableOptions extends StreamOptions {
  readonly decodeStrings?: boolean
  readonly defaultEncoding?: string
  readonly write?: (chunk: unknown, encoding: string, done: Done) => void
  readonly final?: (done: Done) => void
}

/** Methods `_write` and `_final` of a writable stream, which consume the written data. */
export interface Sink extends Stream {
  _write(chunk: unknown, encoding: string, done: Done): void
  _final(done: Done): void
}

interface Pending {
  readonly chunk: unknown
  readonly encoding: string
  readonly length: number
  readonly done: Done
}

const nothing = (): void => {}

/** Writable half of a stream. Calls the stream's `_write` with one chunk at a time; the other chunks wait. */
export class WriteSide {
  length = 0
  ended = false
  finished = false
  needDrain = false
  corked = 0
  defaultEncoding: string
  readonly highWaterMark: number
  readonly objectMode: boolean
  readonly #sink: Sink
  readonly #decodeStrings: boolean
  readonly #queue: Pending[] = []
  readonly #onFinished: () => void
  #isWriting = false
  #hasFailed = false
  #isFinal = false

  constructor(sink: Sink, options: WritableOptions, onFinished: () => void) {
    this.#sink = sink
    this.objectMode = options.objectMode ?? false
    this.highWaterMark = options.highWaterMark ?? (this.objectMode ? 16 : 65_536)
    this.#decodeStrings = options.decodeStrings ?? true
    this.defaultEncoding = options.defaultEncoding ?? 'utf8'
    this.#onFinished = onFinished
  }

  write(given: unknown, encoding: unknown, callback: unknown): boolean {
    const done = pick(encoding, callback)
    if (given === null) throw coded(new TypeError('May not write null values to stream'), 'ERR_STREAM_NULL_VALUES')
    const name = typeof encoding === 'string' ? encoding : this.defaultEncoding
    const chunk = this.objectMode ? given : this.#bytesOf(given, name)
    const refusal = this.#refusal()
    if (refusal !== undefined) {
      nextTick(() => done(refusal))
      if (!this.#sink.destroyed) this.#sink.destroy(refusal)
      return false
    }
    const length = this.objectMode ? 1 : sizeOf(chunk)
    this.length += length
    this.#queue.push({ chunk, encoding: typeof chunk === 'string' ? name : 'buffer', length, done })
    const hasRoom = this.length < this.highWaterMark
    if (!hasRoom) this.needDrain = true
    this.#next()
    return hasRoom
  }

  end(given: unknown, encoding: unknown, callback: unknown): void {
    const done = typeof given === 'function' ? pick(given, undefined) : pick(encoding, callback)
    if (given !== undefined && given !== null && typeof given !== 'function') this.write(given, encoding, undefined)
    this.corked = 0
    if (this.finished || this.#sink.destroyed) nextTick(() => done(this.finished ? undefined : destroyed()))
    else if (done !== nothing) this.#sink.once('finish', () => done())
    this.ended = true
    this.#next()
  }

  cork(): void {
    this.corked++
  }

  uncork(): void {
    if (this.corked > 0) this.corked--
    this.#next()
  }

  /** Drops the chunks that wait for `_write` and calls their callbacks with the error. */
  drop(error: Error | null): void {
    for (const { done } of this.#queue.splice(0)) nextTick(() => done(error ?? destroyed()))
  }

  #refusal(): Error | undefined {
    if (this.ended) return coded(new Error('write after end'), 'ERR_STREAM_WRITE_AFTER_END')
    return this.#sink.destroyed ? destroyed() : undefined
  }

  #bytesOf(given: unknown, encoding: string): unknown {
    if (typeof given === 'string') return this.#decodeStrings ? bufferFrom(given, encoding) : given
    if (given instanceof Uint8Array) return given
    if (ArrayBuffer.isView(given)) return new Uint8Array(given.buffer, given.byteOffset, given.byteLength)
    throw invalidType('chunk', 'of type string or an instance of Buffer, TypedArray, or DataView', given)
  }

  #next(): void {
    while (!this.#isWriting && !this.#hasFailed && this.corked === 0 && !this.#sink.destroyed) {
      const first = this.#queue.shift()
      if (first === undefined) {
        this.#finish()
        return
      }
      this.#write(first)
    }
  }

  /** Writes the next chunk immediately if `_write` finishes synchronously. A program may exit right after a write. */
  #write(pending: Pending): void {
    this.#isWriting = true
    let isSync = true
    this.#sink._write(pending.chunk, pending.encoding, (error) => {
      this.#isWriting = false
      this.#hasFailed ||= Boolean(error)
      this.length -= pending.length
      if (isSync) nextTick(() => this.#settle(pending, error))
      else {
        this.#settle(pending, error)
        this.#next()
      }
    })
    isSync = false
  }

  #settle({ done }: Pending, error: Error | null | undefined): void {
    done(error ?? undefined)
    if (error) this.#sink.destroy(error)
    else if (this.length === 0 && this.needDrain && !this.ended && !this.#sink.destroyed) {
      this.needDrain = false
      this.#sink.emit('drain')
    }
  }

  #finish(): void {
    if (!this.ended || this.#isFinal) return
    this.#isFinal = true
    this.#sink._final((error) => {
      if (error) this.#sink.destroy(error)
      else nextTick(() => this.#finished())
    })
  }

  #finished(): void {
    if (this.#sink.errored !== null) return
    this.finished = true
    this.#sink.emit('finish')
    this.#onFinished()
  }
}

const destroyed = (): Error =>
  coded(new Error('Cannot call write after a stream was destroyed'), 'ERR_STREAM_DESTROYED')

function pick(first: unknown, second: unknown): Done {
  const found = typeof first === 'function' ? first : second
  return typeof found === 'function' ? (error) => void found(error) : nothing
}

const sizeOf = (chunk: unknown): number => (typeof chunk === 'string' || chunk instanceof Uint8Array ? chunk.length : 0)
