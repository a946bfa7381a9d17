import { escapeUnsafe } from '@cni/types'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { printable } from '../foreign-text.ts'
import { encodeAnswer, readAnswer } from './answer.ts'
import { encodeFrame, type Frame, frameReader } from './frame.ts'
import { REFUSALS, type ServeAnswer } from './protocol.ts'
import { readDone, readFacts, readRequest } from './read-request.ts'
import { encodeDone, encodeFacts, encodeRequest, serveRequest } from './request.ts'
import { servedLines } from './served-lines.ts'

const bytes = fc.uint8Array({ maxLength: 300 })

/** Cut where the numbers say. */
function pieces(whole: Uint8Array, cuts: readonly number[]): Uint8Array[] {
  const at = [0, ...cuts.map((cut) => cut % (whole.length + 1)).sort((a, b) => a - b), whole.length]
  return at.slice(1).map((end, index) => whole.subarray(at[index], end))
}

/** What comes out of a stream; `take` stands for who reads until there is nothing more. */
function frames(limit: number, stream: readonly Uint8Array[]): Frame[] {
  const reader = frameReader(limit)
  const found: Frame[] = []
  for (const piece of stream) {
    let frame = reader.push(piece)
    while (frame !== undefined) {
      found.push(frame)
      frame = reader.push(new Uint8Array())
    }
  }
  expect(reader.isHalf()).toBe(false)
  return found
}

test('frames come out of a stream as they went in, wherever it is cut', () => {
  const heads = fc.array(fc.tuple(fc.jsonValue(), bytes), { minLength: 1, maxLength: 4 })
  fc.assert(
    fc.property(heads, fc.array(fc.nat(), { maxLength: 12 }), (sent, cuts) => {
      const whole = Buffer.concat(sent.map(([head, more]) => encodeFrame(head, more)))
      const read = frames(10_000, pieces(whole, cuts))
      expect(read.map(({ json, bytes }) => [json, [...bytes]])).toEqual(
        sent.map(([head, more]) => [JSON.stringify(head), [...more]]),
      )
    }),
  )
})

test('a frame that is too long is refused when its lengths are there, not when it is', () => {
  const reader = frameReader(100)
  const header = Buffer.alloc(8)
  header.writeUInt32LE(60, 0)
  header.writeUInt32LE(0xffffffff, 4)
  expect(reader.push(header.subarray(0, 7))).toBeUndefined()
  expect(() => reader.push(header.subarray(7))).toThrow(RangeError)
})

const text = fc.string({ maxLength: 20, unit: 'grapheme' })
const line = fc.dictionary(text, text).map((fields) => `${escapeUnsafe(JSON.stringify(fields))}\n`)
const document = fc.dictionary(text, text).map((members) => JSON.stringify(members))
const log = fc.array(
  fc.record({ text: line, timed: fc.option(fc.constantFrom('ms', 'durationMs'), { nil: undefined }) }),
  {
    maxLength: 3,
  },
)
const logLevel = fc.constantFrom('silent', 'error', 'warn', 'info', 'debug')
const number = fc.nat()

/** A message of netlink with its length in front, padded to four bytes. */
function netlinkMessage(body: Uint8Array): Uint8Array {
  const message = new Uint8Array((16 + body.length + 3) & ~3)
  new DataView(message.buffer).setUint32(0, 16 + body.length, true)
  message.set(body, 16)
  return message
}

const answers = fc.oneof(
  fc.record({ act: fc.constant('refused'), reason: fc.constantFrom(...REFUSALS), detail: text.map(printable) }),
  fc.record({ act: fc.constant('skip'), log, logLevel, stdout: document }),
  fc.record({
    act: fc.constant('error'),
    log,
    logLevel,
    error: fc.record({ code: fc.integer({ min: 1, max: 999 }), msg: text, details: text, cause: text }),
  }),
  fc.record({
    act: fc.constant('program'),
    log,
    logLevel,
    stdout: document,
    netns: fc.record({ dev: number, ino: number }),
    backend: fc.constantFrom('nft', 'nftables'),
    network: fc.option(
      fc.record({
        families: fc.constantFrom(['ipv4'], ['ipv4', 'ipv6']),
        tproxy: fc.constantFrom(null, { mark: 1, table: 2 }),
      }),
      { nil: undefined },
    ),
    record: fc.record({ name: fc.stringMatching(/^[0-9a-f]{32}\.json$/), begun: text, applied: text }),
    batch: fc.array(bytes, { minLength: 1 }).map((bodies) => Buffer.concat(bodies.map(netlinkMessage))),
  }),
) as fc.Arbitrary<ServeAnswer>

test('an answer is read as it was sent', () => {
  fc.assert(
    fc.property(answers, (answer) => {
      const [frame] = frames(100_000, [encodeAnswer(answer)])
      const read = frame && readAnswer(frame)
      expect(plain(read)).toEqual(plain(answer))
    }),
  )
})

test('what is no answer is none, and throws nothing', () => {
  const documents = fc.oneof(
    fc.jsonValue().map((value) => JSON.stringify(value)),
    text,
  )
  fc.assert(
    fc.property(documents, bytes, (json, more) => {
      expect(readAnswer({ json, bytes: more })).toBeUndefined()
    }),
  )
})

test('an answer with anything of another type is none', () => {
  const values = fc.constantFrom(null, 0, -1.5, '', 'x', true, [], [[]], {}, { level: 'info' })
  fc.assert(
    fc.property(answers, fc.nat(), values, (answer, at, value) => {
      const { batch: _, ...head } = { batch: undefined, ...answer }
      const keys = Object.keys(head)
      const key = keys[at % keys.length] ?? ''
      const read = readAnswer({ json: JSON.stringify({ ...head, [key]: value }), bytes: new Uint8Array() })
      // Either nothing, or every member has the type it should have.
      if (read === undefined) return
      expect(plain(read)).toEqual(plain(readAnswer({ json: JSON.stringify(read), bytes: new Uint8Array() })))
    }),
  )
})

test('a request and its facts are read as they were sent, and the request says nothing of the rest of the environment', () => {
  const facts = fc.record({
    netns: fc.record({ dev: number, ino: number }),
    backend: fc.constantFrom('nft' as const, 'other' as const),
    fresh: fc.boolean(),
    generation: number,
    inet6: text,
    addresses: fc.option(fc.array(text), { nil: undefined }),
    ipv6Off: fc.option(fc.boolean(), { nil: undefined }),
  })
  const env = { CNI_ARGS: 'a=b', CNI_NETNS: '/x', ISTIO_OUTBOUND_OWNER_GROUPS: '*', AWS_SECRET: 'no', PATH: '/bin' }
  fc.assert(
    fc.property(facts, bytes, (known, stdin) => {
      const request = serveRequest(env, { version: '1', stdin })
      const [frame, second] = frames(100_000, [encodeRequest(request), encodeFacts(known)])
      const read = frame && readRequest(frame, '1')
      expect(plain(read)).toEqual(plain(request))
      expect(second && readFacts(second)).toEqual(JSON.parse(JSON.stringify(known)))
      expect(Object.keys(request.env)).toEqual(['CNI_ARGS', 'CNI_NETNS', 'ISTIO_OUTBOUND_OWNER_GROUPS'])
    }),
  )
})

test.each([
  ['no JSON', '{', 'request'],
  ['no request', '[]', 'request'],
  ['a request without an environment', '{"protocol":3,"version":"1"}', 'request'],
  ['another protocol', '{"protocol":1,"version":"1"}', 'version'],
  ['another version', '{"protocol":3,"version":"2","else":{}}', 'version'],
])('%s is refused with a reason', (_, json, reason) => {
  expect(readRequest({ json, bytes: new Uint8Array() }, '1')).toMatchObject({ act: 'refused', reason })
})

test('what is said last is read as it was sent, and nothing else is taken for it', () => {
  fc.assert(
    fc.property(fc.double({ min: 0, noNaN: true, noDefaultInfinity: true }), fc.jsonValue(), (ms, other) => {
      const [frame] = frames(100_000, [encodeDone(ms)])
      expect(frame && readDone(frame)?.done).toBeCloseTo(ms)
      expect(readDone({ json: JSON.stringify(other), bytes: new Uint8Array() })).toBeUndefined()
    }),
  )
  for (const json of ['{"done":', '{"done":-1}', '{"done":"1"}', '{"done":null}']) {
    expect(readDone({ json, bytes: new Uint8Array() })).toBeUndefined()
  }
})

test('lines that are timed are JSON as before, and the others are as they were', () => {
  const fields = fc.dictionary(text, fc.oneof(text, fc.integer()), { minKeys: 1 })
  fc.assert(
    fc.property(fields, fc.double({ min: 0, noNaN: true, noDefaultInfinity: true }), (line, ms) => {
      const plainText = `${JSON.stringify(line)}\n`
      const [timed = '', other] = servedLines([{ text: plainText, timed: 'durationMs' }, { text: plainText }], ms)
      expect(JSON.parse(timed)).toEqual({ ...line, durationMs: JSON.parse(String(ms)) })
      expect(timed.endsWith('}\n')).toBe(true)
      expect(other).toBe(plainText)
    }),
  )
})

test.each(['{', '[]', '{}', '{"netns":{"dev":-1,"ino":1},"backend":"nft","fresh":true,"inet6":""}'])(
  '%s are no facts',
  (json) => {
    expect(() => readFacts({ json, bytes: new Uint8Array() })).toThrow()
  },
)

/** Without what is undefined, and bytes as numbers. */
function plain(value: ServeAnswer | ReturnType<typeof readRequest> | undefined): unknown {
  if (value === undefined) return undefined
  const { batch, stdin } = { batch: undefined, stdin: undefined, ...value }
  return JSON.parse(JSON.stringify({ ...value, batch: batch && [...batch], stdin: stdin && [...stdin] }))
}
