import { isNetnsError } from '@cni/netns'
import { describe, expect, test } from 'vitest'
import { addElements, addSet } from '../dumps/sets.ts'
import { encodeExpressions } from '../expressions/expression.ts'
import type { Expression } from '../expressions/expression-types.ts'
import { isNftError } from '../nft-error.ts'
import { Batch } from './batch.ts'

const chain = { family: 'inet', table: 'ex', chain: 'c' } as const
const set = { ...chain, set: 's', keyType: 13, keyLength: 2 }
const rule = (expression: unknown) => (batch: Batch) =>
  batch.addRule({ ...chain, expressions: [expression as Expression] })
const cast = <T>(value: unknown) => value as T

test('expressions and their bytes give the same rule', () => {
  const expressions: Expression[] = [{ name: 'counter' }, { name: 'immediate', dreg: 0, data: { verdict: 'drop' } }]
  const given = { ...chain, comment: 'c' }
  const inWords = new Batch().addRule({ ...given, expressions }).bytes()
  expect(new Batch().addRule({ ...given, expressions: encodeExpressions(expressions) }).bytes()).toEqual(inWords)
})

describe('an invalid value throws a sentence, and does not change the batch', () => {
  test.each<[string, (batch: Batch) => unknown, RegExp]>([
    [
      'an empty name',
      (b) => b.addTable({ ...chain, table: '' }),
      /^table table: expected a name of 1 to 255 bytes without NUL, got ""$/,
    ],
    [
      'a long name',
      (b) => b.addChain({ ...chain, chain: 'é'.repeat(128) }),
      /^chain chain: expected a name of 1 to 255 bytes/,
    ],
    ['a name with a NUL', (b) => b.addChain({ ...chain, chain: 'a\0b' }), /^chain chain: .* got "a\\u0000b"$/],
    ['an unknown family', (b) => b.addTable({ ...chain, family: cast('ipv4') }), /^There is no family "ipv4"$/],
    [
      'a hook of another family',
      (b) => b.addChain({ ...chain, base: { type: 'filter', hook: 'egress', priority: 0 } }),
      /^inet has no hook "egress"$/,
    ],
    [
      'a priority that is not an integer',
      (b) => b.addChain({ ...chain, base: { type: 'filter', hook: 'input', priority: 1.5 } }),
      /^base priority: expected a signed integer of 32 bits, got 1.5$/,
    ],
    ['an unknown expression', rule({ name: 'nosuch' }), /^There is no expression "nosuch"$/],
    [
      'an unknown word',
      rule({ name: 'meta', key: 'iifnam', dreg: 1 }),
      /^meta key: expected one of len, .*, got "iifnam"$/,
    ],
    [
      'a number that is too large',
      rule({ name: 'meta', key: 'mark', dreg: 2 ** 32 }),
      /^meta dreg: expected an integer of 32 bits, got 4294967296$/,
    ],
    [
      'a number for a bigint',
      rule({ name: 'counter', bytes: 1 }),
      /^counter bytes: expected a bigint of 64 bits, got 1$/,
    ],
    ['a negative bigint', rule({ name: 'counter', bytes: -1n }), /^counter bytes: .* got -1n$/],
    ['a field that is missing', rule({ name: 'cmp', sreg: 1, op: 'eq' }), /^cmp data: expected bytes, got undefined$/],
    [
      'an unknown verdict',
      rule({ name: 'immediate', dreg: 0, data: { verdict: 'maybe' } }),
      /^immediate data: expected bytes, or a verdict/,
    ],
    [
      'a jump without a chain',
      rule({ name: 'immediate', dreg: 0, data: { verdict: 'jump' } }),
      /^immediate data: expected bytes, or a verdict/,
    ],
    ['a text with a NUL', rule({ name: 'log', prefix: 'a\0' }), /^log prefix: expected a text without NUL/],
    [
      'a rule that is too long',
      rule({ name: 'match', module: 'x', revision: 0, info: new Uint8Array(70_000) }),
      /^An attribute \(a rule or a value\) of 70\d\d\d bytes is too long: at most 65535 fit$/,
    ],
    [
      'a long comment',
      (b) => b.addRule({ ...chain, expressions: [], comment: 'x'.repeat(254) }),
      /^A comment of 254 bytes: at most 253 fit$/,
    ],
    [
      'a comment and userdata',
      (b) => b.addTable({ ...chain, comment: 'x', userdata: new Uint8Array(2) }),
      /^A comment and userdata cannot be combined/,
    ],
    [
      'an unknown set flag',
      (b) => addSet(b, { ...set, flags: [cast('intervals')] }),
      /^set flags: expected some of anonymous, .*, got \["intervals"\]$/,
    ],
    [
      'an element without a key',
      (b) => addElements(b, set, [{ key: Uint8Array.of(0, 1) }, {}]),
      /^An element needs either a key or the flag catchAll$/,
    ],
    [
      'a handle that is a number',
      (b) => b.addRule({ ...chain, expressions: [], place: { after: cast(7) } }),
      /^place after: expected a bigint/,
    ],
  ])('%s', (_, add, message) => {
    const batch = new Batch().addTable(chain)
    const before = batch.bytes()
    let error: unknown
    try {
      add(batch)
    } catch (caught) {
      error = caught
    }
    expect(isNftError(error) || isNetnsError(error)).toBe(true)
    expect(error).toMatchObject({ code: 'INVALID', message: expect.stringMatching(message) })
    expect(batch.bytes().equals(before)).toBe(true)
    expect(batch.size).toBe(1)
  })
})

test('decoded expressions can be written unchanged', () => {
  const batch = new Batch().addRule({
    ...chain,
    expressions: [{ name: 'raw', of: 'quota', data: Uint8Array.of(1, 2, 3) }, { name: 'notrack' }],
  })
  expect(batch.bytes().includes(Buffer.from('quota\0'))).toBe(true)
})
