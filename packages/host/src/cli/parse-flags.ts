import { suggestion } from '../similar.ts'
import type { Flag, FlagValues } from './flag.ts'
import { UsageError } from './usage-error.ts'

/**
 * Parses a command line by the rules of Go's pflag. Throws a {@link UsageError}.
 *
 * Accepted forms: `--flag=value`, `--flag value`, `-f value`, `-fvalue`, `-f=value`, `-nf value`, `--bool=false`, `--`
 * before positional arguments.
 *
 * @param options - `once` refuses a flag that is given twice and does not collect values. Default: the last value
 * counts.
 */
export function parseFlags<F extends Readonly<Record<string, Flag<unknown>>>>(
  argv: readonly string[],
  flags: F,
  options: { readonly once?: boolean } = {},
): {
  /**
   * Values of the flags that the command line contains. A repeated flag has its last value, or all values if the flag
   * collects them.
   */
  readonly given: Partial<FlagValues<F>>
  /** Values of all flags of the command. A flag that the command line omits has its default. */
  readonly values: FlagValues<F>
  readonly positionals: readonly string[]
  readonly help: boolean
} {
  const { once = false } = options
  const given: Record<string, unknown> = {}
  const positionals: string[] = []
  const rest = [...argv]
  let help = false
  const next = (shown: string) => {
    const value = rest.shift()
    if (value === undefined) throw new UsageError(`flag ${shown} needs a value`)
    return value
  }
  const set = (key: string, shown: string, text: string | undefined) => {
    const flag = flags[key]
    if (flag === undefined) return
    const value = text === undefined && flag.alone !== undefined ? flag.alone : read(flag, shown, text ?? next(shown))
    const before = given[key]
    if (before !== undefined && once && flag.collects !== true) throw new UsageError(`flag ${shown} is given twice`)
    given[key] = Array.isArray(before) && Array.isArray(value) ? [...before, ...value] : value
  }
  for (let arg = rest.shift(); arg !== undefined; arg = rest.shift()) {
    if (arg === '--') {
      positionals.push(...rest.splice(0))
    } else if (arg.startsWith('--')) {
      const [, name = '', , text] = /^--([^=]*)(=([\s\S]*))?$/.exec(arg) ?? []
      const key = Object.keys(flags).find((each) => flags[each]?.name === name)
      if (key !== undefined) set(key, `--${name}`, text)
      else if (name === 'help') help = true
      else throw new UsageError(`unknown flag --${name}${suggestion(name, namesOf(flags), '--')}`)
    } else if (arg.startsWith('-') && arg !== '-') {
      let letters = arg.slice(1)
      while (letters !== '') {
        const letter = letters.charAt(0)
        letters = letters.slice(1)
        const key = Object.keys(flags).find((each) => flags[each]?.short === letter)
        if (key === undefined && letter === 'h') {
          help = true
          continue
        }
        if (key === undefined) throw new UsageError(`unknown flag -${letter} in ${quote(arg)}`)
        // pflag reads the argument `-o=` as the flag `o` with the value `=`. This parser does the same.
        const assigned = /^=./.test(letters)
        const takesRest = assigned || (flags[key]?.alone === undefined && letters !== '')
        set(key, `-${letter}`, takesRest ? letters.slice(assigned ? 1 : 0) : undefined)
        if (takesRest) break
      }
    } else {
      positionals.push(arg)
    }
  }
  const defaults = Object.fromEntries(Object.entries(flags).map(([key, { fallback }]) => [key, fallback]))
  // The cast is safe, because each value comes from the flag with the same key.
  const values = { ...defaults, ...given } as FlagValues<F>
  return { given: given as Partial<FlagValues<F>>, values, positionals, help }
}

function read(flag: Flag<unknown>, shown: string, text: string): unknown {
  try {
    return flag.parse(text)
  } catch (cause) {
    const problem = cause instanceof Error ? cause.message : String(cause)
    throw new UsageError(`flag ${shown} has the value ${quote(text)}: ${problem}`, { cause })
  }
}

const namesOf = (flags: Readonly<Record<string, Flag<unknown>>>): string[] =>
  Object.values(flags).map((flag) => flag.name)

const MAX_QUOTED = 80

/**
 * Quotes a command-line argument for an error message: on one line, with all characters visible, at most 80 characters.
 */
function quote(text: string): string {
  const shown = JSON.stringify(text).replace(
    /[\u007f-\u00a0\u200b-\u200f\u2028-\u202f\u2060-\u206f\ufeff]/g,
    (char) => `\\u${char.charCodeAt(0).toString(16).padStart(4, '0')}`,
  )
  return shown.length <= MAX_QUOTED ? shown : `${shown.slice(0, MAX_QUOTED - 2)}…"`
}
