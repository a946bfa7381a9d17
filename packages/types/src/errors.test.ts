import { expect, test } from 'vitest'
import { decodeError, encodeError, errorLine, formatError, toErrorDocument } from './error-document.ts'
import { CniError, cniErrorKey, isCniError } from './errors.ts'

const key: unique symbol = Symbol.for('cni.error')

class Drift extends Error {
  readonly [key] = { code: 100, details: 'rule 3' }
}

test('isCniError recognizes an error by its key, not by its class', () => {
  const error = new CniError(11, 'later', { details: 'd', hint: 'wait', cause: 'c' })
  expect(error.name).toBe('CniError')
  expect(Object.keys(error).sort()).toEqual(['code', 'details', 'hint'])
  expect(error.cause).toBe('c')
  expect(error[cniErrorKey]).toEqual({ code: 11, details: 'd; wait' })
  expect(isCniError(error)).toBe(true)
  expect(isCniError(new Drift('x'))).toBe(true)
  expect(isCniError(new Error('x'))).toBe(false)
  expect('cause' in new CniError(1, 'm')).toBe(false)
})

test('the hint follows the details in the error document', () => {
  expect(toErrorDocument(new CniError(11, 'm', { details: 'd', hint: 'h' }))).toEqual({
    code: 11,
    msg: 'm',
    details: 'd; h',
  })
})

test.each([
  ['the error itself', new CniError(123, 'typed msg', { details: 'd' }), { code: 123, msg: 'typed msg', details: 'd' }],
  ['code 0 without a message', new CniError(0, ''), { code: 0, msg: '' }],
  [
    'a cause, without the text around it',
    new Error('outer', { cause: new CniError(11, 'inner') }),
    { code: 11, msg: 'inner' },
  ],
  [
    'an error of another package',
    new Error('o', { cause: new Drift('drifted') }),
    { code: 100, msg: 'drifted', details: 'rule 3' },
  ],
  [
    'the outer of two',
    new CniError(7, 'outer', { details: 'd', cause: new CniError(6, 'inner') }),
    { code: 7, msg: 'outer', details: 'd' },
  ],
  [
    'the first typed member of an aggregate',
    new AggregateError([new Error('a'), new CniError(5, 'b'), new CniError(6, 'c')]),
    { code: 5, msg: 'b' },
  ],
  [
    'a cause of a member',
    new AggregateError([new Error('a', { cause: new CniError(8, 'x') }), new CniError(5, 'b')]),
    { code: 8, msg: 'x' },
  ],
])('the error document has the first error with a code: %s', (_name, error, document) => {
  expect(toErrorDocument(error)).toEqual(document)
})

const refused = new Error('connect ECONNREFUSED /run/agent.sock')

test.each([
  ['the message', new CniError(11, 'no agent', { cause: refused }), refused.message],
  [
    'the messages of all causes',
    new CniError(11, 'a', { cause: new Error('b', { cause: refused }) }),
    `b; ${refused.message}`,
  ],
  [
    'members of an aggregate',
    new CniError(11, 'a', { cause: new AggregateError([new Error('b'), refused]) }),
    `b; ${refused.message}`,
  ],
  ['a cause that is not an error', new CniError(11, 'a', { cause: 'EPIPE' }), 'EPIPE'],
  [
    'message and details of a cause with a code',
    new CniError(11, 'a', { cause: new CniError(6, 'b', { details: 'd' }) }),
    'b; d',
  ],
  [
    'only the details if the message contains the cause’s message',
    new CniError(11, 'a: b', { cause: new CniError(6, 'b', { details: 'd' }) }),
    'd',
  ],
  [
    'no further cause after a cause with a code',
    new CniError(11, 'a', { cause: Object.assign(new Drift('b'), { cause: refused }) }),
    'b; rule 3',
  ],
  [
    'no cause that the message contains',
    new CniError(11, `no agent: ${refused.message}`, { cause: refused }),
    undefined,
  ],
  ['no cause if there are details', new CniError(11, 'no agent', { details: 'd', cause: refused }), 'd'],
  ['the message, then the hint', new CniError(11, 'no agent', { hint: 'h', cause: refused }), `${refused.message}; h`],
  ['no cause of another class', Object.assign(new Drift('m'), { cause: refused }), 'rule 3'],
])('details of an error document have the causes of a CniError: %s', (_name, error, details) => {
  expect(toErrorDocument(new Error('around', { cause: error })).details).toBe(details)
})

test.each([
  ['an error', new Error('potato'), { code: 999, msg: 'potato' }],
  [
    'an error with a cause',
    new Error('fetch failed', { cause: new Error('ECONNREFUSED') }),
    { code: 999, msg: 'fetch failed', details: 'ECONNREFUSED' },
  ],
  ['an error without a message', new TypeError(), { code: 999, msg: 'TypeError' }],
  [
    'an aggregate without a message',
    new AggregateError([new Error('a'), new Error('b')]),
    { code: 999, msg: 'a', details: 'b' },
  ],
  ['a string', 'boom', { code: 999, msg: 'boom' }],
  ['undefined', undefined, { code: 999, msg: 'undefined' }],
  ['an object without prototype', Object.create(null), { code: 999, msg: 'unknown error' }],
  ['an invalid code', Object.assign(new Error('m'), { [cniErrorKey]: { code: -1 } }), { code: 999, msg: 'm' }],
])('an error without a code gets code 999: %s', (_name, error, document) => {
  expect(toErrorDocument(error)).toEqual(document)
})

test('an error with a throwing getter is reported', () => {
  const trap = () => {
    throw new Error('trap')
  }
  const hostile = Object.defineProperty(new Error('m'), 'cause', { get: trap })
  expect(toErrorDocument(hostile)).toEqual({ code: 999, msg: 'unreadable error: trap' })
  expect(toErrorDocument(Object.assign(new Error('m'), { message: 5 }))).toEqual({ code: 999, msg: '5' })
})

test('a cycle of causes ends', () => {
  const error = new Error('round')
  error.cause = new Error('and round', { cause: error })
  expect(toErrorDocument(error)).toEqual({ code: 999, msg: 'round', details: 'and round' })
  const typed = new CniError(11, 'typed')
  typed.cause = new CniError(6, 'and typed', { cause: typed })
  expect(toErrorDocument(typed)).toEqual({ code: 11, msg: 'typed', details: 'and typed' })
})

test('encodeError has the bytes of the reference implementation, HTML escapes included', () => {
  expect(encodeError({ code: 999, msg: 'boom <&> "q"\u2028' })).toBe(
    '{\n    "code": 999,\n    "msg": "boom \\u003c\\u0026\\u003e \\"q\\"\\u2028"\n}',
  )
  expect(encodeError({ details: 'd', msg: '', code: 0, cniVersion: '1.1.0' })).toBe(
    '{\n    "cniVersion": "1.1.0",\n    "code": 0,\n    "msg": "",\n    "details": "d"\n}',
  )
  expect(encodeError({ cniVersion: '', code: 4, msg: 'm', details: '' })).toBe('{\n    "code": 4,\n    "msg": "m"\n}')
})

test('decodeError fills missing members with 0 and empty strings', () => {
  expect(decodeError({ code: 7, msg: 'bad', details: 'dd' })).toMatchObject({ code: 7, message: 'bad', details: 'dd' })
  expect(decodeError({})).toMatchObject({ code: 0, message: '' })
  expect(decodeError({ Code: 7, MSG: 'bad' })).toMatchObject({ code: 7, message: 'bad' })
  expect(formatError({ msg: 'bad', details: 'dd' })).toBe('bad; dd')
  expect(formatError({ msg: 'bad' })).toBe('bad')
})

test('errorLine prints the details, also of an error from another copy of the class', () => {
  const foreign = Object.assign(new Error('bad'), { details: 'dd', [cniErrorKey]: { code: 7 } })
  expect([new CniError(7, 'bad', { details: 'dd', hint: 'h' }), foreign].map(errorLine)).toEqual(['bad; dd', 'bad; dd'])
  expect([new CniError(7, 'bad'), new Error('plain'), 'text'].map(errorLine)).toEqual(['bad', 'plain', 'text'])
  expect(errorLine(Object.assign(new Error('plain'), { details: 'of its own' }))).toBe('plain')
})

test.each([[null], [[]], ['x'], [{ code: -1 }], [{ code: 1.5 }], [{ code: '7' }], [{ msg: 5 }], [{ details: {} }]])(
  '%j is not an error document',
  (document) => {
    expect(() => decodeError(document)).toThrow(/^error document: /)
  },
)
