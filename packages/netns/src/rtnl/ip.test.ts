import { formatAddress as formatIp, parseAddress as parseIp } from '@cni/types/ip'
import { expect, test } from 'vitest'
import { formatPrefix, parseAddress, parsePrefix } from './ip.ts'

const hex = (text: string) => Buffer.from(parseIp(text) ?? []).toString('hex')

test.each([
  ['10.1.2.3', '0a010203'],
  ['::', '00000000000000000000000000000000'],
  ['::1', '00000000000000000000000000000001'],
  ['fd00::1:0:2', 'fd000000000000000000000100000002'],
  ['1:2:3:4:5:6:7::', '00010002000300040005000600070000'],
  ['::ffff:10.0.0.1', '00000000000000000000ffff0a000001'],
])('%s is parsed as %s', (text, bytes) => {
  expect(hex(text)).toBe(bytes)
})

test.each([
  ['00010000000000000000000000000001', '1::1'],
  ['00010000000000020000000000000003', '1:0:0:2::3'],
  ['00010000000200030004000500060007', '1:0:2:3:4:5:6:7'],
  ['20010db8000000000000000000000000', '2001:db8::'],
  ['00000000000000000000ffff0a000001', '::ffff:10.0.0.1'],
])('%s is formatted as %s (RFC 5952)', (bytes, text) => {
  expect(formatIp(Buffer.from(bytes, 'hex'))).toBe(text)
})

test.each(['10.0.0.1/24', '::1/128', '0.0.0.0/0'])('%s is parsed as a prefix', (text) => {
  const prefix = parsePrefix(text)
  expect(`${formatIp(prefix.bytes)}/${prefix.length}`).toBe(text)
})

test('an address without a length is parsed as a full-length prefix', () => {
  expect(parsePrefix('10.0.0.1').length).toBe(32)
  expect(parsePrefix('::1').length).toBe(128)
})

test.each([
  '',
  '10.0.0.1/33',
  '::/129',
  '10.0.0.1/',
  '10.0.0.1/08',
  '1.2.3.4/5/6',
  '1.2.3',
  'eth0',
  'fe80::1%eth0',
  '010.0.0.1',
])('%j is refused with a message that quotes it', (text) => {
  expect(() => parsePrefix(text)).toThrow(
    expect.objectContaining({ code: 'INVALID', message: expect.stringContaining(text) }),
  )
})

test('a prefix is refused where an address is expected', () => {
  expect(() => parseAddress('10.0.0.1/24')).toThrow('Not an IP address: "10.0.0.1/24"')
})

test('formatting a prefix clears its host bits', () => {
  expect(formatPrefix(parsePrefix('10.1.2.3/12'))).toBe('10.0.0.0/12')
  expect(formatPrefix(parsePrefix('fdff::1/9'))).toBe('fd80::/9')
  expect(formatPrefix(parsePrefix('1.2.3.4/0'))).toBe('0.0.0.0/0')
})
