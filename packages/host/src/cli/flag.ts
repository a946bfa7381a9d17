/** A flag, and how its text is read. */
export interface Flag<T> {
  /** Without the dashes. */
  readonly name: string
  readonly short?: string
  readonly fallback: T
  /** The default as the help shows it, where that is not its plain text. */
  readonly shown?: string
  /** Throws an `Error` that says what was expected. */
  readonly parse: (text: string) => T
  /** The value of the flag alone; a flag that has none takes the next argument. */
  readonly alone?: T
  /** Its values are lists, and a repeated flag has those of all. Otherwise the last one counts. */
  readonly collects?: true
  /** What the value is called in the help. */
  readonly value?: string
  readonly help: string
}

/** The values of parsed flags. */
export type FlagValues<F extends Readonly<Record<string, Flag<unknown>>>> = {
  readonly [K in keyof F]: F[K] extends Flag<infer T> ? T : never
}

/** A flag that takes any text; the default is the empty one. */
export const textFlag = ({
  fallback = '',
  ...flag
}: Omit<Flag<string>, 'fallback' | 'parse'> & { readonly fallback?: string }): Flag<string> => ({
  value: 'TEXT',
  ...flag,
  fallback,
  parse: (text) => text,
})

/** A flag that may stand alone; `--flag=false` switches it off. */
export const boolFlag = (flag: Omit<Flag<boolean>, 'fallback' | 'parse' | 'alone'>): Flag<boolean> => ({
  ...flag,
  fallback: false,
  parse: goBool,
  alone: true,
})

/** A flag that takes one of a few words. */
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
 * A flag that may be repeated: all values in order. A value is a list with commas, or with `commas: false` taken as it is.
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

/** A flag that takes seconds, up to a bound; its value is milliseconds. */
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

/** A boolean as Go reads it. */
export function goBool(text: string): boolean {
  if (/^(?:1|t|T|TRUE|true|True)$/.test(text)) return true
  if (/^(?:0|f|F|FALSE|false|False)$/.test(text)) return false
  throw new Error('expected true or false')
}
