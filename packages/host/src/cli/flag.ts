/** Flag of a command line, such as `--port 80`, with its parser. */
export interface Flag<T> {
  /** Name of the flag without the leading dashes. */
  readonly name: string
  readonly short?: string
  readonly fallback: T
  /**
   * Text for the flag's default value in the help text. Needed only if the help text must not print the value itself.
   */
  readonly shown?: string
  /** Parses the text of the flag's argument. Throws an `Error` that says what was expected. */
  readonly parse: (text: string) => T
  /** Value of a flag that is given without an argument. If this member is missing, the flag requires an argument. */
  readonly alone?: T
  /**
   * True if the flag may be repeated. The parser then collects the values of all occurrences. Default: only the last
   * occurrence counts.
   */
  readonly collects?: true
  /** Placeholder for the flag's argument in the help text, such as `TEXT`. */
  readonly value?: string
  readonly help: string
}

/** Values of a command's flags after parsing, with the same keys as the flags. */
export type FlagValues<F extends Readonly<Record<string, Flag<unknown>>>> = {
  readonly [K in keyof F]: F[K] extends Flag<infer T> ? T : never
}

/** Creates a flag whose argument is any text. Default: empty text. */
export const textFlag = ({
  fallback = '',
  ...flag
}: Omit<Flag<string>, 'fallback' | 'parse'> & { readonly fallback?: string }): Flag<string> => ({
  value: 'TEXT',
  ...flag,
  fallback,
  parse: (text) => text,
})

/** Creates a flag without an argument. `--flag=false` switches the flag off. */
export const boolFlag = (flag: Omit<Flag<boolean>, 'fallback' | 'parse' | 'alone'>): Flag<boolean> => ({
  ...flag,
  fallback: false,
  parse: goBool,
  alone: true,
})

/** Creates a flag whose argument is one of a fixed list of words. */
export const choiceFlag = <const T extends string>(
  flag: Omit<Flag<T>, 'parse' | 'value'> & { readonly of: readonly T[] },
): Flag<T> => ({
  ...flag,
  value: flag.of.filter((each) => each !== '').join('|'),
  parse: (text) => {
    const found = flag.of.find((each) => each === text)
    if (found === undefined) throw new Error(`expected ${flag.of.filter((each) => each !== '').join(' or ')}`)
    return found
  },
})

/**
 * Creates a flag that may be repeated and collects all values in order. Each argument is a comma-separated list. With
 * `commas: false`, each argument is one value.
 */
export const listFlag = ({
  commas = true,
  ...flag
}: Omit<Flag<readonly string[]>, 'fallback' | 'parse' | 'collects'> & { readonly commas?: boolean }): Flag<
  readonly string[]
> => ({
  ...flag,
  fallback: [],
  shown: '',
  parse: (text) => {
    if (!commas) return [text]
    const items = text.split(',').filter((item) => item !== '')
    if (items.length === 0) throw new Error('expected at least one')
    return items
  },
  collects: true,
})

/** Creates a flag whose argument is a number of seconds, up to a maximum. The parsed value is in milliseconds. */
export const secondsFlag = ({
  mostSeconds,
  ...flag
}: Omit<Flag<number | undefined>, 'fallback' | 'parse' | 'value'> & { readonly mostSeconds: number }): Flag<
  number | undefined
> => ({
  ...flag,
  value: 'SECONDS',
  fallback: undefined,
  parse: (text) => {
    const seconds = text.trim() === '' ? Number.NaN : Number(text)
    if (seconds > 0 && seconds <= mostSeconds) return seconds * 1000
    throw new Error(`expected seconds, more than 0 and at most ${mostSeconds}`)
  },
})

/** Parses a boolean text as Go does (`strconv.ParseBool`). */
export function goBool(text: string): boolean {
  if (/^(?:1|t|T|TRUE|true|True)$/.test(text)) return true
  if (/^(?:0|f|F|FALSE|false|False)$/.test(text)) return false
  throw new Error('expected true or false')
}
