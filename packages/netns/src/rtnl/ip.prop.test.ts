import { isIP, isIPv6 } from 'node:net'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { formatIp, parseIp } from './ip.ts'

describe('of any text and any bytes', () => {
  const address = fc.oneof(
    fc.uint8Array({ minLength: 4, maxLength: 4 }),
    fc.uint8Array({ minLength: 16, maxLength: 16 }),
  )

  test('what is written reads back the same', () => {
    fc.assert(
      fc.property(address, (bytes) => {
        const text = formatIp(bytes)
        expect(isIP(text)).toBe(bytes.length === 4 ? 4 : 6)
        expect(parseIp(text)).toEqual(bytes)
      }),
    )
  })

  test('sparse IPv6 addresses are written as URLs write them', () => {
    const sparse = fc.array(fc.constantFrom(0, 0, 0, 1, 0xab), { minLength: 16, maxLength: 16 })
    fc.assert(
      fc.property(sparse, (bytes) => {
        const text = formatIp(Uint8Array.from(bytes))
        if (!text.includes('.')) expect(new URL(`http://[${text}]`).hostname).toBe(`[${text}]`)
      }),
    )
  })

  test('what is accepted is what node:net accepts', () => {
    const text = fc.oneof(fc.string({ unit: fc.constantFrom(...'0123456789abf:.') }), fc.ipV4(), fc.ipV6())
    fc.assert(
      fc.property(text, (candidate) => {
        expect(parseIp(candidate)?.length ?? 0).toBe([0, 4, 16][isIP(candidate) === 0 ? 0 : isIPv6(candidate) ? 2 : 1])
      }),
      { numRuns: 1000 },
    )
  })
})
