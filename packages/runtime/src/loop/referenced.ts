/**
 * Base class of timers, immediates and watched descriptors. Each object keeps the process alive until `unref` is
 * called.
 */
export abstract class Referenced {
  #isRef = true

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
}

/** Returns true if at least one of the given timers or descriptors keeps the process alive. */
export function anyHasRef(handles: Iterable<Referenced>): boolean {
  for (const handle of handles) if (handle.hasRef()) return true
  return false
}
