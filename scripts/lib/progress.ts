// Prints progress to stderr, because stdout stays free for a command's own output.
const tty = process.stderr.isTTY === true && process.env.NO_COLOR === undefined
const paint = (code: string, text: string) => (tty ? `\u001b[${code}m${text}\u001b[0m` : text)

export const dim = (text: string) => paint('2', text)
export const green = (text: string) => paint('32', text)
export const red = (text: string) => paint('31', text)

export const say = (line: string) => void process.stderr.write(`${line}\n`)

/**
 * Runs a step of a script. Prints the step's title, time and error.
 *
 * @param body - work of the step; may return `{ note }`, which is printed after the title
 */
export async function step<T>(title: string, body: () => T | Promise<T>): Promise<T> {
  const started = performance.now()
  say(`${dim('…')} ${title}`)
  try {
    const result = await body()
    const note = result && typeof result === 'object' && 'note' in result ? ` ${dim(String(result.note))}` : ''
    say(`${green('✓')} ${title}${note} ${dim(`(${seconds(performance.now() - started)})`)}`)
    return result
  } catch (error) {
    say(`${red('✗')} ${title} ${dim(`(${seconds(performance.now() - started)})`)}`)
    throw error
  }
}

/** Runs all functions in parallel and waits until each has ended. Then throws the errors of the failed functions. */
export async function together(...bodies: readonly (() => Promise<unknown>)[]): Promise<void> {
  const results = await Promise.allSettled(bodies.map((body) => body()))
  const [first, ...others] = results.flatMap((result) => (result.status === 'rejected' ? [result.reason] : []))
  if (first === undefined) return
  if (others.length === 0 || [first, ...others].some((error) => !(error instanceof Stop))) throw first
  throw new Stop([first, ...others].map(({ message }) => message).join('\n'))
}

export const seconds = (ms: number) => (ms < 1000 ? `${Math.round(ms)} ms` : `${(ms / 1000).toFixed(1)} s`)

/** Error that ends a script. Its message is printed without a stack trace. */
export class Stop extends Error {
  /** Exit code with which the script ends. */
  readonly exitCode: number

  constructor(message: string, exitCode = 1) {
    super(message)
    this.exitCode = exitCode
  }
}

export async function main(body: () => Promise<unknown>) {
  try {
    await body()
  } catch (error) {
    say(
      error instanceof Stop
        ? `\n${red('Stopped:')} ${error.message}`
        : error instanceof Error
          ? String(error.stack)
          : String(error),
    )
    process.exitCode = error instanceof Stop ? error.exitCode : 1
  }
}
