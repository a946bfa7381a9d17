import { enqueue } from './ready.ts'
import { anyHasRef, Referenced } from './referenced.ts'

let waiting = new Set<Immediate>()

/** Object that `setImmediate` returns. */
export class Immediate extends Referenced {
  readonly #callback: () => void
  #isActive = true

  constructor(callback: () => void) {
    super()
    this.#callback = callback
    waiting.add(this)
  }

  clear(): void {
    this.#isActive = false
    waiting.delete(this)
  }

  [Symbol.dispose](): void {
    this.clear()
  }

  fire(): void {
    if (!this.#isActive) return
    this.#isActive = false
    this.#callback()
  }
}

export function enqueueImmediates(): void {
  const all = waiting
  waiting = new Set()
  for (const immediate of all) enqueue(() => immediate.fire())
}

export const isImmediateWaiting = (): boolean => waiting.size > 0

export const hasImmediates = (): boolean => anyHasRef(waiting)
