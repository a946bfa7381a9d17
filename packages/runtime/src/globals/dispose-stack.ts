import { define, defineGlobal } from '../define.ts'

/** Error of a `using` declaration: `suppressed` is the earlier one of two errors. */
class SuppressedError extends Error {
  error: unknown
  suppressed: unknown
  constructor(error: unknown, suppressed: unknown, message = '') {
    super(message)
    this.error = error
    this.suppressed = suppressed
  }
}
define(SuppressedError.prototype, 'name', 'SuppressedError')

type Cleanup = () => unknown

class Stack {
  protected cleanups: Cleanup[] = []
  #disposed = false

  get disposed(): boolean {
    return this.#disposed
  }

  defer(cleanup: Cleanup): void {
    this.check()
    this.cleanups.push(cleanup)
  }

  adopt<T>(value: T, cleanup: (value: T) => unknown): T {
    this.check()
    this.cleanups.push(() => cleanup(value))
    return value
  }

  protected check(): void {
    if (this.#disposed) throw new ReferenceError(`${this.constructor.name} already disposed`)
  }

  protected takeAll(): Cleanup[] {
    this.#disposed = true
    return this.cleanups.splice(0).reverse()
  }
}

class DisposableStack extends Stack implements Disposable {
  use<T extends Disposable | null | undefined>(value: T): T {
    this.check()
    if (value === null || value === undefined) return value
    const dispose = value[Symbol.dispose]
    if (typeof dispose !== 'function') throw new TypeError('Symbol.dispose of the value is not a function')
    this.cleanups.push(() => dispose.call(value))
    return value
  }

  move(): DisposableStack {
    this.check()
    const moved = new DisposableStack()
    moved.cleanups = this.takeAll().reverse()
    return moved
  }

  dispose(): void {
    if (this.disposed) return
    const failures = new Failures()
    for (const cleanup of this.takeAll()) {
      try {
        cleanup()
      } catch (error) {
        failures.add(error)
      }
    }
    failures.throwLast()
  }

  [Symbol.dispose](): void {
    this.dispose()
  }
}

class AsyncDisposableStack extends Stack implements AsyncDisposable {
  use<T extends AsyncDisposable | Disposable | null | undefined>(value: T): T {
    this.check()
    if (value === null || value === undefined) return value
    const dispose = Reflect.get(value, Symbol.asyncDispose) ?? Reflect.get(value, Symbol.dispose)
    if (typeof dispose !== 'function') throw new TypeError('Symbol.asyncDispose of the value is not a function')
    this.cleanups.push(() => dispose.call(value))
    return value
  }

  move(): AsyncDisposableStack {
    this.check()
    const moved = new AsyncDisposableStack()
    moved.cleanups = this.takeAll().reverse()
    return moved
  }

  async disposeAsync(): Promise<void> {
    if (this.disposed) return
    const failures = new Failures()
    for (const cleanup of this.takeAll()) {
      try {
        await cleanup()
      } catch (error) {
        failures.add(error)
      }
    }
    failures.throwLast()
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.disposeAsync()
  }
}

class Failures {
  #last: { readonly error: unknown } | undefined

  add(error: unknown): void {
    this.#last = { error: this.#last === undefined ? error : new SuppressedError(error, this.#last.error) }
  }

  throwLast(): void {
    if (this.#last !== undefined) throw this.#last.error
  }
}

for (const [name, value] of Object.entries({ SuppressedError, DisposableStack, AsyncDisposableStack })) {
  if (!(name in globalThis)) defineGlobal(name, value)
}
