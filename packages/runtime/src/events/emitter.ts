import { coded, invalidType } from '../errors.ts'

// biome-ignore lint/suspicious/noExplicitAny: listeners take what their event has
export type Listener = (...args: any[]) => unknown
export type EventName = string | symbol

/** Wrapper of an event listener that `once` added. `listener` is the original function. */
interface Once extends Listener {
  listener: Listener
}

const given = (listener: Listener): Listener => ('listener' in listener ? (listener as Once).listener : listener)

/** Symbol of a method that the emitter calls when its listeners change. */
export const listenersChanged: unique symbol = Symbol('listenersChanged')

/** Creates the error to throw for an `error` event without a listener. Wraps an event argument that is not an Error. */
function unhandled(reason: unknown): Error {
  if (reason instanceof Error) return reason
  const error = new Error(`Unhandled error. (${typeof reason === 'string' ? `'${reason}'` : String(reason)})`)
  return Object.assign(coded(error, 'ERR_UNHANDLED_ERROR'), { context: reason })
}

export class EventEmitter {
  static defaultMaxListeners = 10
  static readonly captureRejectionSymbol = Symbol.for('nodejs.rejection')
  static readonly errorMonitor = Symbol('events.errorMonitor')

  #listeners: Map<EventName, readonly Listener[]> | undefined
  #maxListeners: number | undefined;

  [listenersChanged]?(name: EventName): void

  on(name: EventName, listener: Listener): this {
    return this.#add(name, listener, false)
  }

  addListener(name: EventName, listener: Listener): this {
    return this.on(name, listener)
  }

  prependListener(name: EventName, listener: Listener): this {
    return this.#add(name, listener, true)
  }

  once(name: EventName, listener: Listener): this {
    return this.on(name, this.#once(name, listener))
  }

  prependOnceListener(name: EventName, listener: Listener): this {
    return this.prependListener(name, this.#once(name, listener))
  }

  off(name: EventName, listener: Listener): this {
    const all = this.#of(name)
    const at = all.findLastIndex((one) => one === listener || given(one) === listener)
    if (at < 0) return this
    this.#set(name, all.toSpliced(at, 1))
    if (this.#of('removeListener').length > 0) this.emit('removeListener', name, listener)
    return this
  }

  removeListener(name: EventName, listener: Listener): this {
    return this.off(name, listener)
  }

  removeAllListeners(name?: EventName): this {
    for (const one of name === undefined ? this.eventNames() : [name]) this.#set(one, [])
    return this
  }

  emit(name: EventName, ...args: unknown[]): boolean {
    if (name === 'error') {
      for (const listener of this.#of(EventEmitter.errorMonitor)) listener.apply(this, args)
    }
    const all = this.#of(name)
    if (all.length === 0) {
      if (name === 'error') throw unhandled(args[0])
      return false
    }
    for (const listener of all) listener.apply(this, args)
    return true
  }

  eventNames(): EventName[] {
    return [...(this.#listeners?.keys() ?? [])]
  }

  listenerCount(name: EventName, listener?: Listener): number {
    const all = this.#of(name)
    return listener === undefined ? all.length : all.filter((one) => given(one) === listener).length
  }

  listeners(name: EventName): Listener[] {
    return this.#of(name).map(given)
  }

  rawListeners(name: EventName): Listener[] {
    return [...this.#of(name)]
  }

  setMaxListeners(count: number): this {
    this.#maxListeners = count
    return this
  }

  getMaxListeners(): number {
    return this.#maxListeners ?? EventEmitter.defaultMaxListeners
  }

  #of(name: EventName): readonly Listener[] {
    return this.#listeners?.get(name) ?? []
  }

  #set(name: EventName, all: readonly Listener[]): void {
    this.#listeners ??= new Map()
    if (all.length === 0) this.#listeners.delete(name)
    else this.#listeners.set(name, all)
    this[listenersChanged]?.(name)
  }

  #add(name: EventName, listener: Listener, first: boolean): this {
    if (typeof listener !== 'function') throw invalidType('listener', 'of type function', listener)
    if (this.#of('newListener').length > 0) this.emit('newListener', name, given(listener))
    const all = this.#of(name)
    this.#set(name, first ? [listener, ...all] : [...all, listener])
    return this
  }

  #once(name: EventName, listener: Listener): Listener {
    if (typeof listener !== 'function') throw invalidType('listener', 'of type function', listener)
    const wrapped = (...args: unknown[]): unknown => {
      this.off(name, wrapped)
      return listener.apply(this, args)
    }
    return Object.assign(wrapped, { listener })
  }
}
