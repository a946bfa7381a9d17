import fc from 'fast-check'
import type { Expression } from '../../src/wire/expressions/expression-types.ts'
import { expressions } from '../../src/wire/expressions/expressions.ts'
import type { Field } from '../../src/wire/fields/fields.ts'

const name = fc.string({ unit: 'grapheme', minLength: 1, maxLength: 12 }).filter((text) => !text.includes('\0'))
const bytes = fc.uint8Array({ minLength: 1, maxLength: 16 }).map((some) => Buffer.from(some))
const verdict = fc.oneof(
  fc.constantFrom('accept', 'drop', 'return', 'continue', 'break').map((word) => ({ verdict: word })),
  fc.tuple(fc.constantFrom('jump', 'goto'), name).map(([word, chain]) => ({ verdict: word, chain })),
)

/** Generators of random attribute values. Each name is the description of valid values in a codec (`expected`). */
const values: Record<string, fc.Arbitrary<unknown>> = {
  'an integer of 8 bits': fc.nat(0xff),
  'an integer of 16 bits': fc.nat(0xffff),
  'an integer of 32 bits': fc.oneof(fc.nat(30), fc.integer({ min: 0, max: 0xffffffff })),
  'a bigint of 64 bits': fc.bigInt({ min: 0n, max: 0xffff_ffff_ffff_ffffn }),
  'a text without NUL': name,
  bytes,
  'bytes, or a verdict': fc.oneof(bytes, verdict),
}

function arbitraryOf({ codec }: Field): fc.Arbitrary<unknown> {
  const words = /^one of (.*)$/.exec(codec.expected)?.[1]?.split(', ')
  const found = words === undefined ? values[codec.expected] : fc.constantFrom(...words)
  if (found === undefined) throw new Error(`No values for ${codec.expected}`)
  return found
}

function fieldOf(field: Field): fc.Arbitrary<unknown> {
  const given = arbitraryOf(field)
  return field.presence === 'always' ? given : fc.option(given, { nil: undefined })
}

/**
 * Generator of random netlink expressions as the decoder returns them: without attributes that have the default value.
 */
const known = fc.oneof(
  ...Object.entries(expressions).map(([name, fields]) => {
    const all = Object.entries<Field>(fields)
    return fc.record(Object.fromEntries(all.map(([key, field]) => [key, fieldOf(field)]))).map((given) => {
      const said = all.filter(([key, { fallback }]) => given[key] !== undefined && given[key] !== fallback)
      return { name, ...Object.fromEntries(said.map(([key]) => [key, given[key]])) } as Expression
    })
  }),
)

const raw: fc.Arbitrary<Expression> = fc.record({ name: fc.constant('raw'), of: fc.constant('osf'), data: bytes })

/** Generator of random rules: known expressions, with a few unknown expressions. */
export const rules = fc.array(fc.oneof({ weight: 9, arbitrary: known }, { weight: 1, arbitrary: raw }), {
  maxLength: 8,
})
