import { expect, test } from 'vitest'
import { isSameTbf, tbf } from './tbf.ts'

test.each([
  ['the burst of containerd at 1 Mbit/s', { bitsPerSecond: 1_000_000, burstBits: 0xffffffff }, 125_000, 34_359_738],
  [
    'the burst of containerd at 100 Gbit/s',
    { bitsPerSecond: 1e11, burstBits: 0xffffffff },
    12_500_000_000,
    536_870_912,
  ],
  ['no burst at 8 Mbit/s', { bitsPerSecond: 8_000_000 }, 1_000_000, 32_768],
  ['no burst at 100 Gbit/s', { bitsPerSecond: 1e11, burstBits: 0 }, 12_500_000_000, 250_000_000],
  ['less than a byte a second', { bitsPerSecond: 1, burstBits: 0xffffffff }, 1, 274],
  ['a burst beyond 4 GiB', { bitsPerSecond: 1e15, burstBits: 2 ** 50 }, 125_000_000_000_000, 0xffffffff],
])('clamps %s', (_, given, bytesPerSecond, burstBytes) => {
  const options = tbf(given)
  expect(options).toMatchObject({ bitsPerSecond: bytesPerSecond * 8, burstBytes })
  expect(options.limitBytes).toBe(Math.min(0xffffffff, Math.floor(bytesPerSecond / 40) + burstBytes))
})

test('the queue limit is the bytes of the latency plus one burst', () => {
  expect(tbf({ bitsPerSecond: 8_000_000, burstBits: 80_000, latency: 100 }).limitBytes).toBe(110_000)
})

test.each([
  [{ bitsPerSecond: 0 }, 'tbf.bitsPerSecond: expected an integer from 1'],
  [{ bitsPerSecond: 1.5 }, 'tbf.bitsPerSecond'],
  [{ bitsPerSecond: 8, burstBits: -1 }, 'tbf.burstBits'],
  [{ bitsPerSecond: 8, latency: Number.NaN }, 'tbf.latency'],
])('%j is refused with a message that names the member', (given, says) => {
  expect(() => tbf(given)).toThrow(says)
})

test('a tbf with another rate, burst or limit differs; rounding by the kernel does not count', () => {
  const options = tbf({ bitsPerSecond: 8_000_000, burstBits: 80_000 })
  expect(isSameTbf({ ...options, burstBytes: options.burstBytes + 1 }, options)).toBe(true)
  expect(isSameTbf({ ...options, burstBytes: options.burstBytes + 2 }, options)).toBe(false)
  expect(isSameTbf({ ...options, bitsPerSecond: 8_000_008 }, options)).toBe(false)
  expect(isSameTbf({ ...options, limitBytes: 1 }, options)).toBe(false)
})
