import { type Done, Stream } from './stream.ts'
import { type WritableOptions, WriteSide } from './write-side.ts'

/** Writable stream. `instanceof Writable` is also true for a Duplex. */
export class Writable extends Stream {
  readonly #side: WriteSide

  constructor(options: WritableOptions = {}) {
    super(options)
    if (options.write !== undefined) this._write = options.write
    if (options.final !== undefined) this._final = options.final
    this.#side = new WriteSide(this, options, () => this.autoDestroy && this.destroy())
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

  get writableObjectMode(): boolean {
    return this.#side.objectMode
  }
}

const inherits = Function.prototype[Symbol.hasInstance]

/** Makes `instanceof Writable` true for a Duplex, although the class Duplex extends Readable. */
Object.defineProperty(Writable, Symbol.hasInstance, {
  value(this: unknown, value: unknown): boolean {
    return inherits.call(this, value) || (this === Writable && value instanceof Stream && 'writableEnded' in value)
  },
})
