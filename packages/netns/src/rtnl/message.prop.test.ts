import fc from 'fast-check'
import { expect, test } from 'vitest'
import { decodeAttributes, decodeMessages, encodeMessage } from './message.ts'

test('whatever bytes arrive, decoding ends: with values or a RangeError', () => {
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 200 }), (bytes) => {
      for (const decode of [decodeMessages, (each: Uint8Array) => decodeAttributes(each, 12)]) {
        try {
          decode(bytes)
        } catch (error) {
          expect(error).toBeInstanceOf(RangeError)
        }
      }
    }),
  )
})

test('what is encoded decodes the same', () => {
  const attribute = fc.tuple(fc.integer({ min: 1, max: 0x3fff }), fc.uint8Array({ maxLength: 40 }))
  const list = fc.uniqueArray(attribute, { selector: ([type]) => type })
  fc.assert(
    fc.property(list, fc.nat(0xffff), fc.nat(), (attributes, type, sequence) => {
      const bytes = encodeMessage({ type, flags: 3, sequence }, new Uint8Array(12), attributes)
      const [message, ...rest] = decodeMessages(bytes)
      expect(rest).toEqual([])
      expect(message).toMatchObject({ type, flags: 3, sequence })
      const decoded = decodeAttributes(message?.body ?? new Uint8Array(), 12)
      expect([...decoded].map(([key, value]) => [key, [...value]])).toEqual(
        attributes.map(([key, value]) => [key, [...value]]),
      )
    }),
  )
})
