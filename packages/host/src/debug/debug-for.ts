/**
 * Returns a function that prints trace lines of the area `cni:<area>`. Callers must omit secrets such as tokens. Values
 * are printed as ASCII, because other characters could control a terminal.
 *
 * Returns `undefined` if the variable `DEBUG` does not contain `cni:`. Callers write `debug?.(…)`, which then evaluates
 * no arguments.
 */
export function debugFor(
  area: string,
): ((step: string, values?: Readonly<Record<string, unknown>>) => void) | undefined {
  // Values of `DEBUG` for other programs, such as `*`, do not enable traces.
  if (process.env.DEBUG?.includes('cni:') !== true) return undefined
  const name = `cni:${area}`
  return (step, values) => print(name, lineOf(step, values))
}

// internal

type Printer = (format: string, line: string) => void

/** npm package `debug`, once it is loaded. The package selects areas by name and measures the time between lines. */
let createPrinter: ((name: string) => Printer) | undefined
const printers = new Map<string, Printer>()
/** Trace lines to print once the package `debug` is loaded. `undefined` before the loading starts. */
let waiting: (readonly [name: string, line: string])[] | undefined

function print(name: string, line: string): void {
  if (createPrinter === undefined) {
    wait(name, line)
    return
  }
  const printer = printers.get(name) ?? createPrinter(name)
  printers.set(name, printer)
  // Passes a fixed format, because the package `debug` would interpret `%` sequences in the line.
  printer('%s', line)
}

function wait(name: string, line: string): void {
  if (waiting !== undefined) {
    waiting.push([name, line])
    return
  }
  waiting = [[name, line]]
  import('debug').then(
    ({ default: debug }) => {
      createPrinter = debug
      printWaiting()
    },
    () => {
      // Prints traces itself if the package `debug` is missing. A missing package must not stop the program.
      createPrinter = (other) => (_format, text) => void process.stderr.write(`${other} ${text}\n`)
      printWaiting()
    },
  )
}

function printWaiting(): void {
  for (const [name, line] of waiting ?? []) print(name, line)
}

function lineOf(step: string, values: Readonly<Record<string, unknown>> = {}): string {
  const shown = Object.entries(values).flatMap(([name, value]) =>
    value === undefined ? [] : [` ${name}=${text(value)}`],
  )
  return ascii(`${step}${shown.join('')}`)
}

function text(value: unknown): string {
  if (typeof value === 'number') return Number.isInteger(value) ? String(value) : value.toFixed(2)
  if (value instanceof Error) return JSON.stringify(value.message)
  return JSON.stringify(value) ?? String(value)
}

const ascii = (line: string): string =>
  line.replace(/[^\x20-\x7e]/g, (char) => `\\u${char.charCodeAt(0).toString(16).padStart(4, '0')}`)
