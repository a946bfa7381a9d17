import { boolFlag, type Flag } from '@cni/host/cli'
import { messageOf } from '@cni/types'

/** What a variable's text stands for; `problem` says why a text that makes no sense was taken as the zero value. */
export interface Decoded<T> {
  readonly value: T
  readonly problem?: string
}

/** One setting: a flag, a variable of the environment, a file of the configuration folder. */
export interface Variable<T> extends Flag<T> {
  /** Names in the environment; the first one wins. */
  readonly env: readonly string[]
  /** There is no flag for it. */
  readonly envOnly: boolean
  /** Accepted, because the original accepts it, and without effect. */
  readonly unused: boolean
  /** How the text of a variable is read. Unlike a flag's it is never refused: the original takes the zero value. */
  readonly decode: (text: string) => Decoded<T>
}

type Details = Partial<Pick<Variable<unknown>, 'env' | 'envOnly' | 'unused' | 'value' | 'shown'>>

/** Any text. */
export const text = (name: string, fallback: string, help: string, details: Details = {}): Variable<string> => ({
  ...common(name, help, details),
  value: details.value ?? 'TEXT',
  fallback,
  parse: (given) => given,
  decode: (given) => ({ value: given }),
})

/** True or false, as Go reads it; an empty variable is false. */
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

/** True, false, or what the surroundings suggest, which `shown` describes. */
export const boolOrUnset = (name: string, shown: string, help: string): Variable<boolean | undefined> => ({
  ...bool(name, false, help, { shown }),
  fallback: undefined,
})

/** A whole number, as Go reads it with base 0; an empty variable is 0. */
export const int = (name: string, fallback: number, help: string, details: Details = {}): Variable<number> => ({
  ...common(name, help, details),
  value: 'NUMBER',
  fallback,
  parse: goInt,
  decode: (given) => lenient(given, goInt, 0),
})

/** A whole number as Go reads it with base 0: decimal, or 0x, 0o, 0b and a leading 0 for octal. */
export function goInt(given: string): number {
  const [, sign = '', body = ''] = /^([+-]?)(.*)$/s.exec(given) ?? []
  const digits = body.replace(/(?<=[0-9a-f]|^0[xob])_(?=[0-9a-f])/gi, '')
  const number = /^0[0-7]+$/.test(digits)
    ? Number.parseInt(digits, 8)
    : /^(?:0|[1-9]\d*|0x[0-9a-f]+|0o[0-7]+|0b[01]+)$/i.test(digits)
      ? Number(digits)
      : Number.NaN
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
