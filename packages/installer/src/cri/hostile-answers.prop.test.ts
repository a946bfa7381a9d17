import { ProtobufError } from '@cni/types/protobuf'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { containerdWith, statusResponse } from '../../test/stand-in-runtime.ts'
import { CriError } from './cri-error.ts'
import { judgeRuntime } from './judge-runtime.ts'
import { runtimeAnswer } from './runtime-answer.ts'
import { decodeStatus } from './status-message.ts'

const text = fc.string({ unit: 'binary', maxLength: 300 })
const said = fc.record({
  conditions: fc.array(fc.record({ type: text, status: fc.boolean(), reason: text, message: text }), { maxLength: 5 }),
  info: fc.dictionary(text, text, { maxKeys: 5 }),
})

test('every answer is decoded as it was encoded', () => {
  fc.assert(
    fc.property(said, ({ conditions, info }) => {
      expect(decodeStatus(statusResponse({ conditions, info }))).toEqual({
        conditions,
        info: new Map(Object.entries(info)),
      })
    }),
  )
})

/** Almost an answer of containerd. */
const nearly = fc
  .tuple(fc.json(), fc.nat(), fc.nat(255), fc.constantFrom('cniconfig', 'lastCNILoadStatus.default'))
  .map(([json, at, byte, key]) => {
    const bytes = Uint8Array.from(statusResponse(containerdWith(['ptp', 'istio-cni'], { [key]: json })))
    bytes[at % bytes.length] = byte
    return bytes
  })

test('any bytes become one line of limited length, or are rejected with a message', () => {
  fc.assert(
    fc.property(fc.oneof(fc.uint8Array({ maxLength: 64 }), said.map(statusResponse), nearly), (bytes) => {
      try {
        const verdict = judgeRuntime(runtimeAnswer(decodeStatus(bytes)), { type: 'istio-cni', chained: true })
        expect(verdict.text.length).toBeLessThan(1300)
        expect(verdict.text).toMatch(/^[^\p{Cc}\p{Cf}\u2028\u2029]+$/u)
      } catch (error) {
        expect(error instanceof ProtobufError || error instanceof CriError ? 'in words' : error).toBe('in words')
      }
    }),
    { numRuns: 1000 },
  )
})
