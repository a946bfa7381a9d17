import { enqueue } from './ready.ts'

let waiting = new Set<Immediate>()

/** Result of `setImmediate`. */
export class Immediate {
  readonly #callback: () => void
  #isActive = true
  #isRef = true

  constructor(callback: () => void) {
    this.#callback = callback
    waiting.add(this)
  }

  ref(): this {
    this.#isRef = true
    return this
  }

  unref(): this {
    this.#isRef = false
    return this
  }

  hasRef(): boolean {
    return this.#isRef
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

export function hasImmediates(): boolean {
  for (const immediate of waiting) if (immediate.hasRef()) return true
  return false
}
