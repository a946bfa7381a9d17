/**
 * Returns the trace function of one area, `cni:<area>`; each call prints one step. Values are printed as JSON in ASCII, so
 * that nothing in them can act on a terminal. Returns `undefined` unless the variable `DEBUG` names `cni:`, so that
 * `debug?.(…)` does not even evaluate its arguments. Whoever traces leaves out what is secret: a token never gets here.
 */
export function debugFor(
  area: string,
): ((step: string, values?: Readonly<Record<string, unknown>>) => void) | undefined {
  // A variable that is meant for other programs, such as `DEBUG=*` or `DEBUG=1`, changes nothing here.
  if (process.env.DEBUG?.includes('cni:') !== true) return undefined
  const name = `cni:${area}`
  return (step, values) => print(name, lineOf(step, values))
}

// internal

type Printer = (format: string, line: string) => void

/** The package, once it is loaded; it knows which names are switched on, and how long ago the last line was. */
let createPrinter: ((name: string) => Printer) | undefined
const printers = new Map<string, Printer>()
/** Lines from before that; `undefined`: nobody has asked yet. */
let waiting: (readonly [name: string, line: string])[] | undefined

function print(name: string, line: string): void {
  if (createPrinter === undefined) {
    wait(name, line)
    return
  }
  const printer = printers.get(name) ?? createPrinter(name)
  printers.set(name, printer)
  // Its own formats would be looked for in a line.
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
      // A trace is never a reason to fail.
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
