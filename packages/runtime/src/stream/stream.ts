import { AbortError } from '../errors.ts'
import { EventEmitter } from '../events/emitter.ts'
import { nextTick } from '../loop/ticks.ts'

export type Done = (error?: Error | null) => void

export interface StreamOptions {
  readonly highWaterMark?: number
  readonly objectMode?: boolean
  readonly autoDestroy?: boolean
  readonly emitClose?: boolean
  readonly signal?: AbortSignal
  readonly destroy?: (error: Error | null, done: Done) => void
}

/** Base class of all streams. A stream ends once, by `destroy`, with at most one error. */
export class Stream extends EventEmitter {
  destroyed = false
  closed = false
  errored: Error | null = null
  protected readonly autoDestroy: boolean
  readonly #emitClose: boolean

  constructor({ autoDestroy = true, emitClose = true, signal, destroy }: StreamOptions = {}) {
    super()
    this.autoDestroy = autoDestroy
    this.#emitClose = emitClose
    if (destroy !== undefined) this._destroy = destroy
    if (signal !== undefined) this.#follow(signal)
  }

  destroy(error?: Error | null): this {
    if (this.destroyed) return this
    this.destroyed = true
    this.errored = error ?? null
    this._destroy(error ?? null, (failure) => {
      if (failure) this.errored = failure
      nextTick(() => this.#end(failure ?? null))
    })
    return this
  }

  _destroy(error: Error | null, done: Done): void {
    done(error)
  }

  async [Symbol.asyncDispose](): Promise<void> {
    if (this.closed) return
    const closed = new Promise<void>((resolve) => this.once('close', () => resolve()))
    this.once('error', () => {
      // Listens for `error`, because an `error` event without a listener becomes an uncaught exception.
    })
    this.destroy()
    await closed
  }

  #end(error: Error | null): void {
    this.closed = true
    try {
      if (error !== null) this.emit('error', error)
    } finally {
      if (this.#emitClose) this.emit('close', error !== null)
    }
  }

  #follow(signal: AbortSignal): void {
    const abort = (): void => void this.destroy(new AbortError(signal.reason))
    if (signal.aborted) {
      nextTick(abort)
      return
    }
    signal.addEventListener('abort', abort)
    this.once('close', () => signal.removeEventListener('abort', abort))
  }
}
