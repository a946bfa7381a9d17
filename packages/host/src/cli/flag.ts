/** Flag of a command line, with its parser. */
export interface Flag<T> {
  /** Name without dashes. */
  readonly name: string
  readonly short?: string
  readonly fallback: T
  /** Default in the help text, if it differs from the plain value. */
  readonly shown?: string
  /** Parses a value. Throws an `Error` that says what was expected. */
  readonly parse: (text: string) => T
  /** Value of the flag without an argument. If it is missing, the flag takes the next argument. */
  readonly alone?: T
  /** True if a repeated flag concatenates its lists. Otherwise the last one counts. */
  readonly collects?: true
  /** Name of the value in the help text. */
  readonly value?: string
  readonly help: string
}

/** Values of parsed flags. */
export type FlagValues<F extends Readonly<Record<string, Flag<unknown>>>> = {
  readonly [K in keyof F]: F[K] extends Flag<infer T> ? T : never
}

/** Flag with any text; the default is empty. */
export const textFlag = ({
  fallback = '',
  ...flag
}: Omit<Flag<string>, 'fallback' | 'parse'> & { readonly fallback?: string }): Flag<string> => ({
  value: 'TEXT',
  ...flag,
  fallback,
  parse: (text) => text,
})

/** Flag without an argument; `--flag=false` switches it off. */
export const boolFlag = (flag: Omit<Flag<boolean>, 'fallback' | 'parse' | 'alone'>): Flag<boolean> => ({
  ...flag,
  fallback: false,
  parse: goBool,
  alone: true,
})

/** Flag with one of a few words. */
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
 * Flag that may be repeated: collects all values in order. A value is a list with commas; with `commas: false`, it is a
 * single item.
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

/** Flag with seconds, up to a bound. Its value is in milliseconds. */
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

/** Parses a boolean as Go does. */
export function goBool(text: string): boolean {
  if (/^(?:1|t|T|TRUE|true|True)$/.test(text)) return true
  if (/^(?:0|f|F|FALSE|false|False)$/.test(text)) return false
  throw new Error('expected true or false')
}
