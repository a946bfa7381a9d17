import { isIP } from 'node:net'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { A, AAAA, encodeName, encodeQuery, type Question, readAnswer } from './dns-message.ts'

const name = encodeName('www.example.test') ?? new Uint8Array(1)
const questions: Question[] = [
  { id: 0x1234, name, type: A },
  { id: 0x1234, name, type: AAAA },
]

/** Builds an answer from a query: sets the answer flag and appends the records. */
function answerTo(question: Question, count: number, records: Uint8Array): Uint8Array {
  const head = encodeQuery(question).slice(2)
  head[2] = 0x81
  head[3] = 0x80
  head[6] = count >> 8
  head[7] = count & 255
  return Uint8Array.from([...head, ...records])
}

/** Bytes for random records. They are chosen so that many records are almost valid. */
const byte = fc.oneof(fc.constantFrom(0xc0, 12, 0, 1, 4, 5, 16, 28, 29, 33, 3), fc.integer({ min: 0, max: 255 }))
const records = fc.array(byte, { maxLength: 400 }).map((bytes) => Uint8Array.from(bytes))

function check(message: Uint8Array): void {
  for (const question of questions) {
    const answer = readAnswer(message, question)
    if (answer === undefined || answer === 'failed') continue
    expect(answer.length).toBeLessThanOrEqual(16)
    for (const address of answer) expect(isIP(address)).toBe(question.type === A ? 4 : 6)
  }
}

describe('an answer with random bytes', () => {
  it('is parsed completely or rejected', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 1000 }), (bytes) => check(bytes)),
      { numRuns: 1000 },
    )
  })

  it('is parsed completely or rejected, with a valid header', () => {
    fc.assert(
      fc.property(fc.constantFrom(...questions), fc.integer({ min: 0, max: 300 }), records, (question, count, rest) =>
        check(answerTo(question, count, rest)),
      ),
      { numRuns: 3000 },
    )
  })

  it('contains the addresses in their order', () => {
    const address = fc.uint8Array({ minLength: 4, maxLength: 4 })
    fc.assert(
      fc.property(fc.array(address, { maxLength: 16 }), (addresses) => {
        const rest = addresses.flatMap((bytes) => [0xc0, 12, 0, 1, 0, 1, 0, 0, 0, 9, 0, 4, ...bytes])
        const [question = { id: 0, name, type: A }] = questions
        const message = answerTo(question, addresses.length, Uint8Array.from(rest))
        expect(readAnswer(message, question)).toEqual(addresses.map((bytes) => bytes.join('.')))
        if (rest.length > 0) expect(readAnswer(message.subarray(0, -1), question)).toBeUndefined()
      }),
    )
  })
})

describe('a name', () => {
  it.each(['', '.', 'a..b', '.a', 'ä.test', 'a b', 'x'.repeat(64), `${'x.'.repeat(127)}xx`])(
    'is rejected: %s',
    (text) => {
      expect(encodeName(text)).toBeUndefined()
    },
  )

  it('has at most 255 bytes including the lengths of its labels', () => {
    expect(encodeName(`${'x.'.repeat(126)}x`)).toHaveLength(255)
  })
})
