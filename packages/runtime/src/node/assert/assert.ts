import { isDeepStrictEqual } from '../../inspect/deep-equal.ts'
import { inspect } from '../../inspect/inspect.ts'

interface Failure {
  readonly message?: string | undefined
  readonly actual?: unknown
  readonly expected?: unknown
  readonly operator?: string
}

export class AssertionError extends Error {
  readonly code = 'ERR_ASSERTION'
  readonly actual: unknown
  readonly expected: unknown
  readonly operator: string | undefined
  readonly generatedMessage: boolean

  constructor({ message, actual, expected, operator }: Failure) {
    super(message ?? `${inspect(actual)} ${operator} ${inspect(expected)}`)
    this.name = 'AssertionError'
    this.actual = actual
    this.expected = expected
    this.operator = operator
    this.generatedMessage = message === undefined
  }
}

type Message = string | Error | undefined

function check(holds: boolean, message: Message, failure: Failure): void {
  if (holds) return
  throw message instanceof Error ? message : new AssertionError({ ...failure, message: message ?? failure.message })
}

export function ok(value: unknown, message?: Message): asserts value {
  check(Boolean(value), message, {
    message: `The expression evaluated to a falsy value: ${inspect(value)}`,
    actual: value,
    expected: true,
    operator: '==',
  })
}

export function strictEqual(actual: unknown, expected: unknown, message?: Message): void {
  const text = `Expected values to be strictly equal:\n\n${inspect(actual)} !== ${inspect(expected)}\n`
  check(Object.is(actual, expected), message, { message: text, actual, expected, operator: 'strictEqual' })
}

export function notStrictEqual(actual: unknown, expected: unknown, message?: Message): void {
  const text = `Expected "actual" to be strictly unequal to: ${inspect(expected)}`
  check(!Object.is(actual, expected), message, { message: text, actual, expected, operator: 'notStrictEqual' })
}

export function deepStrictEqual(actual: unknown, expected: unknown, message?: Message): void {
  const text = `Expected values to be strictly deep-equal:\n${inspect(actual)}\n\nshould equal\n\n${inspect(expected)}`
  check(isDeepStrictEqual(actual, expected), message, { message: text, actual, expected, operator: 'deepStrictEqual' })
}

export function notDeepStrictEqual(actual: unknown, expected: unknown, message?: Message): void {
  const text = `Expected "actual" not to be strictly deep-equal to: ${inspect(expected)}`
  check(!isDeepStrictEqual(actual, expected), message, {
    message: text,
    actual,
    expected,
    operator: 'notDeepStrictEqual',
  })
}

export function match(text: string, pattern: RegExp, message?: Message): void {
  const why = `The input did not match the regular expression ${inspect(pattern)}. Input:\n\n${inspect(text)}\n`
  check(pattern.test(text), message, { message: why, actual: text, expected: pattern, operator: 'match' })
}

export function doesNotMatch(text: string, pattern: RegExp, message?: Message): void {
  const why = `The input was expected to not match the regular expression ${inspect(pattern)}. Input:\n\n${inspect(text)}\n`
  check(!pattern.test(text), message, { message: why, actual: text, expected: pattern, operator: 'doesNotMatch' })
}

export function fail(message: Message = 'Failed'): never {
  throw message instanceof Error ? message : new AssertionError({ message, operator: 'fail' })
}

// biome-ignore lint/suspicious/noExplicitAny: any constructor of errors
type Expected = RegExp | (new (...args: any[]) => Error) | object | undefined

function matches(error: unknown, expected: Expected): boolean {
  if (expected === undefined) return true
  if (expected instanceof RegExp) return expected.test(String(error))
  if (typeof expected === 'function') return error instanceof expected
  return Object.entries(expected).every(([name, value]) => {
    const own: unknown = typeof error === 'object' && error !== null ? Reflect.get(error, name) : undefined
    return value instanceof RegExp && typeof own === 'string' ? value.test(own) : isDeepStrictEqual(own, value)
  })
}

function checkError(error: unknown, expected: Expected): void {
  if (!matches(error, expected)) throw error
}

export function throws(action: () => unknown, expected?: Expected): void {
  try {
    action()
  } catch (error) {
    checkError(error, expected)
    return
  }
  fail('Missing expected exception.')
}

export async function rejects(
  promise: Promise<unknown> | (() => Promise<unknown>),
  expected?: Expected,
): Promise<void> {
  try {
    await (typeof promise === 'function' ? promise() : promise)
  } catch (error) {
    checkError(error, expected)
    return
  }
  fail('Missing expected rejection.')
}

const members = {
  AssertionError,
  deepEqual: deepStrictEqual,
  deepStrictEqual,
  doesNotMatch,
  equal: strictEqual,
  fail,
  match,
  notDeepEqual: notDeepStrictEqual,
  notDeepStrictEqual,
  notEqual: notStrictEqual,
  notStrictEqual,
  ok,
  rejects,
  strictEqual,
  throws,
}

/** Module `node:assert`, always in its strict version: `equal` compares like `strictEqual`, even without `/strict`. */
const assert: typeof members & ((value: unknown, message?: Message) => asserts value) = Object.assign(
  (value: unknown, message?: Message): asserts value => ok(value, message),
  members,
)

/** @alias */
export const equal = strictEqual
/** @alias */
export const notEqual = notStrictEqual
/** @alias */
export const deepEqual = deepStrictEqual
/** @alias */
export const notDeepEqual = notDeepStrictEqual
export const strict = assert

export default assert
