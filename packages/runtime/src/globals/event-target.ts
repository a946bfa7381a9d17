import { defineGlobal } from '../define.ts'
import { invalidType } from '../errors.ts'
import { snapshotting } from '../host.ts'
import { nextTick } from '../loop/ticks.ts'
import { sinceStart } from '../sys/time.ts'

interface EventOptions {
  readonly bubbles?: boolean
  readonly cancelable?: boolean
  readonly composed?: boolean
}

/**
 * Event of an EventTarget. The event does not propagate, because event targets outside of a browser have no parents.
 */
export class Event {
  readonly type: string
  readonly bubbles: boolean
  readonly cancelable: boolean
  readonly composed: boolean
  readonly timeStamp = snapshotting() ? 0 : sinceStart()
  readonly isTrusted = false
  target: EventTarget | null = null
  currentTarget: EventTarget | null = null
  defaultPrevented = false
  isStopped = false

  constructor(type: string, { bubbles = false, cancelable = false, composed = false }: EventOptions = {}) {
    this.type = `${type}`
    this.bubbles = bubbles
    this.cancelable = cancelable
    this.composed = composed
  }

  preventDefault(): void {
    if (this.cancelable) this.defaultPrevented = true
  }

  stopImmediatePropagation(): void {
    this.isStopped = true
  }

  stopPropagation(): void {}
}

export class CustomEvent extends Event {
  readonly detail: unknown
  constructor(type: string, options: EventOptions & { readonly detail?: unknown } = {}) {
    super(type, options)
    this.detail = options.detail ?? null
  }
}

type Listener = ((event: Event) => void) | { handleEvent(event: Event): void }

interface ListenerOptions {
  readonly once?: boolean
  readonly capture?: boolean
  readonly passive?: boolean
  readonly signal?: AbortSignal
}

interface Entry {
  readonly listener: Listener
  readonly once: boolean
  readonly capture: boolean
  isRemoved: boolean
}

const captures = (options: boolean | ListenerOptions | undefined): boolean =>
  typeof options === 'object' ? options.capture === true : options === true

export class EventTarget {
  readonly #listeners = new Map<string, Entry[]>()

  addEventListener(type: string, listener: Listener | null, options?: boolean | ListenerOptions): void {
    if (listener === null || listener === undefined) return
    if (typeof listener !== 'function' && typeof listener !== 'object') {
      throw invalidType('listener', 'an instance of EventListener', listener)
    }
    const { once = false, signal } = typeof options === 'object' && options !== null ? options : {}
    if (signal?.aborted) return
    const capture = captures(options)
    const entries = this.#listeners.get(type) ?? []
    if (entries.some((entry) => entry.listener === listener && entry.capture === capture)) return
    this.#listeners.set(type, [...entries, { listener, once, capture, isRemoved: false }])
    signal?.addEventListener('abort', () => this.removeEventListener(type, listener, capture), { once: true })
  }

  removeEventListener(type: string, listener: Listener | null, options?: boolean | ListenerOptions): void {
    const capture = captures(options)
    const entries = this.#listeners.get(type) ?? []
    const found = entries.find((entry) => entry.listener === listener && entry.capture === capture)
    if (found === undefined) return
    found.isRemoved = true
    this.#listeners.set(
      type,
      entries.filter((entry) => entry !== found),
    )
  }

  dispatchEvent(event: Event): boolean {
    event.target = this
    event.currentTarget = this
    for (const entry of this.#listeners.get(event.type) ?? []) {
      if (entry.isRemoved) continue
      if (entry.once) this.removeEventListener(event.type, entry.listener, entry.capture)
      notify(this, entry.listener, event)
      if (event.isStopped) break
    }
    event.currentTarget = null
    return !event.defaultPrevented
  }

  /** Listeners of an EventTarget for one event type, for `getEventListeners` of `node:events`. */
  listenersOf(type: string): Listener[] {
    return (this.#listeners.get(type) ?? []).map(({ listener }) => listener)
  }
}

/**
 * Calls one event listener. An error of the listener becomes an uncaught exception and does not stop other listeners.
 */
function notify(target: EventTarget, listener: Listener, event: Event): void {
  try {
    if (typeof listener === 'function') listener.call(target, event)
    else listener.handleEvent(event)
  } catch (error) {
    nextTickThrow(error)
  }
}

function nextTickThrow(error: unknown): void {
  nextTick(() => {
    throw error
  })
}

defineGlobal('Event', Event)
defineGlobal('CustomEvent', CustomEvent)
defineGlobal('EventTarget', EventTarget)
