import { ProtobufError } from '@cni/types/protobuf'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { decodeRequest, encodeAck, encodeHello } from '../testing/node/ztunnel/wire-of-ztunnel.ts'
import { decodeAck, decodeHello, encodeRequest, type ZdsRequest } from './wire.ts'

const text = fc.string({ unit: 'binary', maxLength: 300 })
const workload = fc.record({ name: text, namespace: text, serviceAccount: text })
const request: fc.Arbitrary<ZdsRequest> = fc.oneof(
  fc.record({ type: fc.constant('add' as const), uid: text, workload }),
  fc.record({ type: fc.constant('keep' as const), uid: text }),
  fc.record({ type: fc.constant('del' as const), uid: text }),
  fc.constant({ type: 'snapshotSent' } as const),
)

test('every message survives encoding and decoding', () => {
  fc.assert(
    fc.property(request, (given) => {
      expect(decodeRequest(encodeRequest(given))).toEqual(given)
    }),
  )
  fc.assert(
    fc.property(text, fc.integer({ min: 0, max: 2 ** 31 - 1 }), (error, version) => {
      expect(decodeAck(encodeAck({ error }))).toEqual({ error })
      expect(decodeHello(encodeHello({ version }))).toEqual({ version })
    }),
  )
})

test('arbitrary bytes are decoded or cause a ProtobufError', () => {
  const hostile = fc.oneof(
    fc.uint8Array({ maxLength: 64 }),
    // Valid messages with one byte changed.
    fc.tuple(request, fc.nat(), fc.nat(255)).map(([given, at, byte]) => {
      const bytes = Uint8Array.from(encodeRequest(given))
      bytes[at % bytes.length] = byte
      return bytes
    }),
  )
  fc.assert(
    fc.property(hostile, (bytes) => {
      for (const decode of [decodeAck, decodeHello, decodeRequest]) {
        try {
          decode(bytes)
        } catch (error) {
          expect(error).toBeInstanceOf(ProtobufError)
        }
      }
    }),
    { numRuns: 1000 },
  )
})
