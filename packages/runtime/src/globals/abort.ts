import { defineGlobal } from '../define.ts'
import { coded } from '../errors.ts'
import { Timeout } from '../loop/timers.ts'
import { DOMException } from './dom-exception.ts'
import { Event, EventTarget } from './event-target.ts'

const abortReason = (): DOMException => new DOMException('This operation was aborted', 'AbortError')

/** Function that aborts an AbortSignal. Only AbortController calls it. */
let abort: (signal: AbortSignal, reason: unknown) => void

type Handler = (event: Event) => void

/** Secret argument of AbortSignal's constructor, so that only this module can create signals. */
const key = Symbol('AbortSignal')

export class AbortSignal extends EventTarget {
  #aborted = false
  #reason: unknown
  /** AbortSignals from `AbortSignal.any`, marked as aborted before any listener runs. */
  readonly #dependents: AbortSignal[] = []
  #onabort: Handler | null = null

  static {
    abort = (signal, reason) => signal.#abort(reason)
  }

  constructor(given?: symbol) {
    if (given !== key) throw coded(new TypeError('Illegal constructor'), 'ERR_ILLEGAL_CONSTRUCTOR')
    super()
  }

  get aborted(): boolean {
    return this.#aborted
  }

  get reason(): unknown {
    return this.#reason
  }

  get onabort(): Handler | null {
    return this.#onabort
  }

  set onabort(handler: Handler | null) {
    this.removeEventListener('abort', this.#onabort)
    this.#onabort = typeof handler === 'function' ? handler : null
    this.addEventListener('abort', this.#onabort)
  }

  throwIfAborted(): void {
    if (this.#aborted) throw this.#reason
  }

  #abort(reason: unknown): void {
    if (this.#aborted) return
    this.#mark(reason)
    this.#dispatch()
  }

  #mark(reason: unknown): void {
    this.#aborted = true
    this.#reason = reason
    for (const dependent of this.#dependents) if (!dependent.#aborted) dependent.#mark(reason)
  }

  #dispatch(): void {
    const event = new Event('abort')
    this.dispatchEvent(event)
    for (const dependent of this.#dependents.splice(0)) dependent.#dispatch()
  }

  static abort(reason: unknown = abortReason()): AbortSignal {
    const signal = new AbortSignal(key)
    signal.#abort(reason)
    return signal
  }

  /** Creates an AbortSignal that aborts after a timeout. The timer does not keep the process alive. */
  static timeout(ms: number): AbortSignal {
    const signal = new AbortSignal(key)
    const timeout = (): void =>
      signal.#abort(new DOMException('The operation was aborted due to timeout', 'TimeoutError'))
    new Timeout(timeout, ms, false).unref()
    return signal
  }

  static any(signals: Iterable<AbortSignal>): AbortSignal {
    const all = [...signals]
    const signal = new AbortSignal(key)
    const first = all.find(({ aborted }) => aborted)
    if (first !== undefined) signal.#abort(first.reason)
    else for (const source of all) source.#dependents.push(signal)
    return signal
  }

  get [Symbol.toStringTag](): string {
    return 'AbortSignal'
  }
}

export class AbortController {
  readonly #signal = new AbortSignal(key)

  get signal(): AbortSignal {
    return this.#signal
  }

  abort(reason: unknown = abortReason()): void {
    abort(this.#signal, reason)
  }

  get [Symbol.toStringTag](): string {
    return 'AbortController'
  }
}

defineGlobal('AbortSignal', AbortSignal)
defineGlobal('AbortController', AbortController)
