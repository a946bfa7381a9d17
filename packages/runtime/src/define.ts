/** Defines a member of an object with the attributes of a builtin member: writable, configurable, not enumerable. */
export function define(target: object, name: PropertyKey, value: unknown): void {
  Object.defineProperty(target, name, { value, writable: true, configurable: true, enumerable: false })
}

/** Defines a member of an object. The first read of the member computes its value. */
export function defineLazy(target: object, name: PropertyKey, make: () => unknown, enumerable = false): void {
  const settle = (value: unknown): void => {
    Object.defineProperty(target, name, { value, writable: true, configurable: true, enumerable })
  }
  Object.defineProperty(target, name, {
    configurable: true,
    enumerable,
    get() {
      const value = make()
      settle(value)
      return value
    },
    set: settle,
  })
}

/** Defines a global class or function. Restores its `name`, because a bundler may have renamed it. */
export function defineGlobal(name: string, value: object): void {
  Object.defineProperty(value, 'name', { value: name, configurable: true })
  define(globalThis, name, value)
}
