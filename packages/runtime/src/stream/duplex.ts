import { Readable, type ReadableOptions } from './readable.ts'
import type { Done } from './stream.ts'
import { type WritableOptions, WriteSide } from './write-side.ts'

export interface DuplexOptions extends ReadableOptions, WritableOptions {
  readonly allowHalfOpen?: boolean
}

/** Stream with a readable and a writable half, which end independently. */
export class Duplex extends Readable {
  readonly allowHalfOpen: boolean
  readonly #side: WriteSide

  constructor(options: DuplexOptions = {}) {
    super(options)
    this.allowHalfOpen = options.allowHalfOpen ?? true
    if (options.write !== undefined) this._write = options.write
    if (options.final !== undefined) this._final = options.final
    this.#side = new WriteSide(this, options, () => this.#afterHalf())
  }

  _write(_chunk: unknown, _encoding: string, done: Done): void {
    done(new Error('The _write() method is not implemented'))
  }

  _final(done: Done): void {
    done()
  }

  override destroy(error?: Error | null): this {
    if (!this.destroyed) this.#side.drop(error ?? null)
    return super.destroy(error)
  }

  write(chunk: unknown, encoding?: unknown, callback?: unknown): boolean {
    return this.#side.write(chunk, encoding, callback)
  }

  end(chunk?: unknown, encoding?: unknown, callback?: unknown): this {
    this.#side.end(chunk, encoding, callback)
    return this
  }

  cork(): void {
    this.#side.cork()
  }

  uncork(): void {
    this.#side.uncork()
  }

  setDefaultEncoding(encoding: string): this {
    this.#side.defaultEncoding = encoding
    return this
  }

  get writable(): boolean {
    return !this.destroyed && !this.#side.ended
  }

  get writableEnded(): boolean {
    return this.#side.ended
  }

  get writableFinished(): boolean {
    return this.#side.finished
  }

  get writableLength(): number {
    return this.#side.length
  }

  get writableHighWaterMark(): number {
    return this.#side.highWaterMark
  }

  get writableNeedDrain(): boolean {
    return this.#side.needDrain
  }

  protected override afterEnd(): void {
    if (!this.allowHalfOpen && !this.#side.ended) this.end()
    this.#afterHalf()
  }

  #afterHalf(): void {
    if (this.autoDestroy && this.readableEnded && this.#side.finished) this.destroy()
  }
}

export interface TransformOptions extends DuplexOptions {
  readonly transform?: (chunk: unknown, encoding: string, done: TransformDone) => void
  readonly flush?: (done: TransformDone) => void
}

type TransformDone = (error?: Error | null, chunk?: unknown) => void

/** Stream that computes its output from its input (`Transform`). */
export class Transform extends Duplex {
  #resume: (() => void) | undefined

  constructor(options: TransformOptions = {}) {
    super(options)
    if (options.transform !== undefined) this._transform = options.transform
    if (options.flush !== undefined) this._flush = options.flush
  }

  _transform(_chunk: unknown, _encoding: string, done: TransformDone): void {
    done(new Error('The _transform() method is not implemented'))
  }

  _flush(done: TransformDone): void {
    done()
  }

  override _read(): void {
    const resume = this.#resume
    this.#resume = undefined
    resume?.()
  }

  override _write(chunk: unknown, encoding: string, done: Done): void {
    this._transform(chunk, encoding, (error, output) => {
      if (error || output === undefined || output === null) done(error)
      else if (this.push(output)) done()
      else this.#resume = done
    })
  }

  override _final(done: Done): void {
    this._flush((error, output) => {
      if (!error && output !== undefined && output !== null) this.push(output)
      if (!error) this.push(null)
      done(error)
    })
  }
}

export class PassThrough extends Transform {
  override _transform(chunk: unknown, _encoding: string, done: TransformDone): void {
    done(null, chunk)
  }
}
