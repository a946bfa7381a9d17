import { call } from '../sys/numbers.ts'
import { enqueue } from './ready.ts'
import { anyHasRef, Referenced } from './referenced.ts'

export const POLLIN = 1
export const POLLOUT = 4

const watchers = new Set<Watcher>()

/** Descriptor that the event loop polls, with its callback. */
export class Watcher extends Referenced {
  readonly fd: number
  events: number
  readonly #callback: (events: number) => void

  constructor(fd: number, events: number, callback: (events: number) => void) {
    super()
    this.fd = fd
    this.events = events
    this.#callback = callback
    watchers.add(this)
  }

  stop(): void {
    watchers.delete(this)
  }

  fire(events: number): void {
    if (watchers.has(this)) this.#callback(events)
  }
}

export const hasWatchers = (): boolean => anyHasRef(watchers)

/** Polls all watched descriptors for at most `wait` milliseconds. */
export function poll(wait: number): void {
  // Skips descriptors with an empty event mask, because ppoll reports a hang-up even for an empty mask.
  const polled = [...watchers].filter(({ events }) => events !== 0)
  if (polled.length === 0 && wait === 0) return
  const set = new Int32Array(2 * polled.length)
  polled.forEach(({ fd, events }, index) => {
    set[2 * index] = fd
    set[2 * index + 1] = events
  })
  // Returns if a Unix signal interrupted ppoll: the next step of the event loop polls again.
  if (call('ppoll', set, polled.length, timespec(wait), null, 8) <= 0) return
  polled.forEach((watcher, index) => {
    const events = (set[2 * index + 1] ?? 0) >>> 16
    if (events !== 0) enqueue(() => watcher.fire(events))
  })
}

/** Time limit for ppoll, rounded up so that the next timer is due when ppoll returns. */
function timespec(wait: number): BigInt64Array | null {
  if (wait === Number.POSITIVE_INFINITY) return null
  const micros = Math.ceil(Math.max(0, wait) * 1000)
  return new BigInt64Array([BigInt(Math.floor(micros / 1e6)), BigInt((micros % 1e6) * 1000)])
}
