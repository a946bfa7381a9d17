/** Base of loop handles. A handle keeps the process alive unless it is unref'd. */
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

/** Returns true if a handle keeps the process alive. */
export function anyHasRef(handles: Iterable<Referenced>): boolean {
  for (const handle of handles) if (handle.hasRef()) return true
  return false
}
