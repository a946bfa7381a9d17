// Progress for people: one line a step on stderr, so that stdout stays free for a command's own output.
const tty = process.stderr.isTTY === true && process.env.NO_COLOR === undefined
const paint = (/** @type {string} */ code, /** @type {string} */ text) =>
  tty ? `\u001b[${code}m${text}\u001b[0m` : text

export const dim = (/** @type {string} */ text) => paint('2', text)
export const green = (/** @type {string} */ text) => paint('32', text)
export const red = (/** @type {string} */ text) => paint('31', text)

/** @param {string} line */
export const say = (line) => void process.stderr.write(`${line}\n`)

/**
 * Announce a step, do it, and say how long it took or why it failed.
 *
 * @template T
 * @param {string} title
 * @param {() => T | Promise<T>} body may return `{ note }` to be printed behind the title
 * @returns {Promise<T>}
 */
export async function step(title, body) {
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

/** @param {number} ms */
export const seconds = (ms) => (ms < 1000 ? `${Math.round(ms)} ms` : `${(ms / 1000).toFixed(1)} s`)

/** An error whose message is all a person needs: printed without a stack. */
export class Stop extends Error {
  /** @param {string} message @param {number} [exitCode] of the command that it ends */
  constructor(message, exitCode = 1) {
    super(message)
    this.exitCode = exitCode
  }
}

/** @param {() => Promise<unknown>} body */
export async function main(body) {
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
