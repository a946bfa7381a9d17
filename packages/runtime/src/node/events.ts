import { AbortError } from '../errors.ts'
import { EventEmitter, type EventName, type Listener } from '../events/emitter.ts'
import { EventTarget } from '../globals/event-target.ts'

export { EventEmitter }

export const errorMonitor = EventEmitter.errorMonitor
export const captureRejectionSymbol = EventEmitter.captureRejectionSymbol
export const defaultMaxListeners = 10

type Source = EventEmitter | EventTarget

interface Options {
  readonly signal?: AbortSignal
}

function listen(source: Source, name: EventName, listener: Listener): () => void {
  if (source instanceof EventTarget) {
    const text = String(name)
    source.addEventListener(text, listener)
    return () => source.removeEventListener(text, listener)
  }
  source.on(name, listener)
  return () => source.off(name, listener)
}

/** Implements `once` of `node:events`: waits for the next event with a given name. */
export function once(source: Source, name: EventName, { signal }: Options = {}): Promise<unknown[]> {
  return new Promise((resolve, reject) => {
    if (signal?.aborted) {
      reject(new AbortError(signal.reason))
      return
    }
    const stops: (() => void)[] = []
    const settle = (action: () => void): void => {
      for (const stop of stops) stop()
      action()
    }
    stops.push(listen(source, name, (...args) => settle(() => resolve(args))))
    if (name !== 'error' && source instanceof EventEmitter) {
      stops.push(listen(source, 'error', (error) => settle(() => reject(error))))
    }
    if (signal !== undefined) {
      const abort = (): void => settle(() => reject(new AbortError(signal.reason)))
      signal.addEventListener('abort', abort)
      stops.push(() => signal.removeEventListener('abort', abort))
    }
  })
}

/** Implements `on` of `node:events`: iterates over all later events with a given name. */
export async function* on(source: Source, name: EventName, { signal }: Options = {}): AsyncGenerator<unknown[]> {
  const waiting: unknown[][] = []
  let failure: { readonly error: unknown } | undefined
  let wake = (): void => {}
  const fail = (error: unknown): void => {
    failure = { error }
    wake()
  }
  const abort = (): void => fail(new AbortError(signal?.reason))
  const stops = [
    listen(source, name, (...args) => {
      waiting.push(args)
      wake()
    }),
  ]
  if (name !== 'error' && source instanceof EventEmitter) stops.push(listen(source, 'error', fail))
  signal?.addEventListener('abort', abort)
  if (signal?.aborted) abort()
  try {
    for (;;) {
      const next = waiting.shift()
      if (next !== undefined) yield next
      else if (failure !== undefined) throw failure.error
      else {
        await new Promise<void>((resolve) => {
          wake = resolve
        })
      }
    }
  } finally {
    for (const stop of stops) stop()
    signal?.removeEventListener('abort', abort)
  }
}

export function getEventListeners(source: Source, name: EventName): unknown[] {
  return source instanceof EventTarget ? source.listenersOf(String(name)) : source.listeners(name)
}

export const getMaxListeners = (source: Source): number =>
  source instanceof EventEmitter ? source.getMaxListeners() : defaultMaxListeners

export function setMaxListeners(count: number, ...sources: readonly Source[]): void {
  for (const source of sources) if (source instanceof EventEmitter) source.setMaxListeners(count)
}

export const listenerCount = (source: EventEmitter, name: EventName): number => source.listenerCount(name)

/** The default export is the class EventEmitter, because Node's `require('events')` returns the class. */
export default Object.assign(EventEmitter, {
  EventEmitter,
  once,
  on,
  getEventListeners,
  getMaxListeners,
  setMaxListeners,
  listenerCount,
})
