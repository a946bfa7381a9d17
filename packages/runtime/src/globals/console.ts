import { defineLazy } from '../define.ts'
import { format } from '../inspect/format.ts'
import { type InspectOptions, inspect } from '../inspect/inspect.ts'
import { process } from '../process/process.ts'
import { stackOf } from '../stack.ts'

/**
 * Implements `console`. Writes through `process.stdout` and `process.stderr`: a program that replaces these streams
 * redirects the console.
 */
export class Console {
  readonly #counts = new Map<string, number>()
  readonly #times = new Map<string, number>()
  #indent = ''

  readonly log = (...values: unknown[]): void => this.#write('stdout', format(...values))
  readonly info = this.log
  readonly debug = this.log
  readonly dirxml = this.log
  readonly error = (...values: unknown[]): void => this.#write('stderr', format(...values))
  readonly warn = this.error
  readonly table = (value: unknown): void => this.log(value)
  readonly dir = (value: unknown, options?: InspectOptions): void => this.#write('stdout', inspect(value, options))

  readonly trace = (...values: unknown[]): void => {
    const error = Object.assign(new Error(format(...values)), { name: 'Trace' })
    this.#write('stderr', stackOf(error))
  }

  readonly assert = (condition: unknown, ...values: unknown[]): void => {
    if (condition) return
    const [first, ...rest] = values
    this.error(typeof first === 'string' ? `Assertion failed: ${first}` : 'Assertion failed', ...rest)
  }

  readonly count = (label = 'default'): void => {
    const count = (this.#counts.get(label) ?? 0) + 1
    this.#counts.set(label, count)
    this.log(`${label}: ${count}`)
  }

  readonly countReset = (label = 'default'): void => void this.#counts.delete(label)

  readonly group = (...values: unknown[]): void => {
    if (values.length > 0) this.log(...values)
    this.#indent += '  '
  }

  readonly groupEnd = (): void => {
    this.#indent = this.#indent.slice(2)
  }

  readonly time = (label = 'default'): void => void this.#times.set(label, performance.now())

  readonly timeLog = (label = 'default', ...values: unknown[]): void => {
    const start = this.#times.get(label)
    if (start !== undefined) this.log(`${label}: ${(performance.now() - start).toFixed(3)}ms`, ...values)
  }

  readonly timeEnd = (label = 'default'): void => {
    this.timeLog(label)
    this.#times.delete(label)
  }

  #write(stream: 'stdout' | 'stderr', text: string): void {
    const lines = this.#indent === '' ? text : text.replace(/^/gm, this.#indent)
    Reflect.get(process, stream).write(`${lines}\n`)
  }
}

defineLazy(globalThis, 'console', () => new Console())
