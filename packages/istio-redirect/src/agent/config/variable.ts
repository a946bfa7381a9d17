import { boolFlag, type Flag } from '@cni/host/cli'
import { messageOf } from '@cni/types'
import { goNumber } from '../../go-number.ts'

/** Decoded value of a setting. An invalid text has the zero value and a problem. */
export interface Decoded<T> {
  readonly value: T
  readonly problem?: string
}

/** Setting of the agent. Its sources are a flag, an environment variable, and a file of the configuration folder. */
export interface Variable<T> extends Flag<T> {
  /** Names of the setting's environment variables. The first name that is set wins. */
  readonly env: readonly string[]
  /** True if the setting has no command-line flag. */
  readonly envOnly: boolean
  /** True for a setting that the agent accepts for compatibility with Istio, and ignores. */
  readonly unused: boolean
  /** Decodes the setting's variable. An invalid text becomes the zero value, as in Istio. */
  readonly decode: (text: string) => Decoded<T>
}

type Details = Partial<Pick<Variable<unknown>, 'env' | 'envOnly' | 'unused' | 'value' | 'shown'>>

/** Creates a setting whose value is a text. */
export const text = (name: string, fallback: string, help: string, details: Details = {}): Variable<string> => ({
  ...common(name, help, details),
  value: details.value ?? 'TEXT',
  fallback,
  parse: (given) => given,
  decode: (given) => ({ value: given }),
})

/** Creates a boolean setting, in Go's notation. An empty variable is false. */
export const bool = (name: string, fallback: boolean, help: string, details: Details = {}): Variable<boolean> => {
  const { parse } = boolFlag({ name, help })
  return {
    ...common(name, help, details),
    fallback,
    alone: true,
    parse,
    decode: (given) => lenient(given, parse, false),
  }
}

/** Creates a boolean setting with a default that depends on the environment. */
export const boolOrUnset = (name: string, shown: string, help: string): Variable<boolean | undefined> => ({
  ...bool(name, false, help, { shown }),
  fallback: undefined,
})

/** Creates an integer setting, in Go's notation with base 0. An empty variable is 0. */
export const int = (name: string, fallback: number, help: string, details: Details = {}): Variable<number> => ({
  ...common(name, help, details),
  value: 'NUMBER',
  fallback,
  parse: goInt,
  decode: (given) => lenient(given, goInt, 0),
})

/** Parses an integer like Go with base 0: decimal, 0x, 0o, 0b, or a leading 0 for octal. */
export function goInt(given: string): number {
  const [, sign = '', body = ''] = /^([+-]?)(.*)$/s.exec(given) ?? []
  const number = goNumber(body)
  if (!Number.isSafeInteger(number)) throw new Error('expected a whole number')
  return sign === '-' && number !== 0 ? -number : number
}

function common(name: string, help: string, { env, envOnly = false, unused = false, shown }: Details) {
  const names = env ?? [name.toUpperCase().replaceAll('-', '_')]
  return { name, help, env: names, envOnly, unused, ...(shown === undefined ? {} : { shown }) }
}

function lenient<T>(given: string, parse: (text: string) => T, zero: T): Decoded<T> {
  if (given === '') return { value: zero }
  try {
    return { value: parse(given) }
  } catch (error) {
    return { value: zero, problem: `${messageOf(error)}, so it counts as ${zero}` }
  }
}
