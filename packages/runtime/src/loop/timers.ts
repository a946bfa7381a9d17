import { host, refuseAtSnapshot } from '../host.ts'
import { enqueue } from './ready.ts'
import { anyHasRef, Referenced } from './referenced.ts'

const MAX_DELAY = 2_147_483_647

let lastId = 0
const timers = new Map<number, Timeout>()

/** Timer, the object that `setTimeout` and `setInterval` return. */
export class Timeout extends Referenced {
  readonly #id = ++lastId
  readonly #delay: number
  readonly #repeats: boolean
  readonly #callback: () => void
  #at = 0

  constructor(callback: () => void, delay: number, repeats: boolean) {
    super()
    this.#delay = delay >= 1 && delay <= MAX_DELAY ? Math.trunc(delay) : 1
    this.#repeats = repeats
    this.#callback = callback
    this.refresh()
  }

  refresh(): this {
    refuseAtSnapshot('a timer')
    this.#at = host.now() + this.#delay
    timers.set(this.#id, this)
    return this
  }

  close(): this {
    timers.delete(this.#id)
    return this
  }

  [Symbol.toPrimitive](): number {
    return this.#id
  }

  [Symbol.dispose](): void {
    this.close()
  }

  get at(): number {
    return this.#at
  }

  get isActive(): boolean {
    return timers.get(this.#id) === this
  }

  fire(): void {
    if (!this.isActive) return
    if (this.#repeats) this.refresh()
    else timers.delete(this.#id)
    this.#callback()
  }

  static find(id: number): Timeout | undefined {
    return timers.get(id)
  }
}

/** Adds the callbacks of due timers to the event loop's queue, the earliest first. */
export function enqueueTimers(): void {
  if (timers.size === 0) return
  const now = host.now()
  const due = [...timers.values()].filter(({ at }) => at <= now)
  for (const timer of due.sort((a, b) => a.at - b.at)) enqueue(() => timer.fire())
}

/** Returns the time at which the next timer is due. Returns Infinity without timers. */
export function nextTimer(): number {
  let first = Number.POSITIVE_INFINITY
  for (const { at } of timers.values()) if (at < first) first = at
  return first
}

export const hasTimers = (): boolean => anyHasRef(timers.values())
