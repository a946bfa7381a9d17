import { expect, test } from 'vitest'
import { type Attribute, encodeMessage } from '../netlink/encode.ts'
import { encodeAddress } from './address/encode.ts'
import { encodeNewLink } from './link/encode.ts'
import { IFF_UP, linkHeader, linkName } from './link/wire.ts'
import type { NewRoute } from './port/route.ts'
import { encodeRoute } from './route/encode.ts'
import { encodeRule } from './rule/codec.ts'

// iproute2 6.1 sends the expected bytes for the command in the title (strace), with sequence number 0.
const bytes = (type: number, flags: number, { fixed, attributes }: { fixed: Uint8Array; attributes: Attribute[] }) =>
  Buffer.from(encodeMessage({ type, flags, fixed, attributes })).toString('hex')

test('ip addr add 10.1.0.1/24 dev lo', () => {
  expect(bytes(20, 0x605, encodeAddress({ cidr: '10.1.0.1/24' }, 1))).toBe(
    '28000000140005060000000000000000' + '0218000001000000' + '080002000a010001' + '080001000a010001',
  )
})

test('ip link add v0 type veth peer name v1 (only the NLA_F_NESTED flags differ from iproute2)', () => {
  const plain = bytes(16, 0x605, encodeNewLink({ name: 'v0', kind: 'veth', peer: { name: 'v1' } }))
    .replaceAll('1280', '1200')
    .replaceAll('0280', '0200')
  expect(plain).toBe(
    '58000000100005060000000000000000' +
      '00000000000000000000000000000000' +
      '0700030076300000' +
      // iproute2 omits the NUL after the kind, which makes the message four bytes shorter.
      `30001200090001007665746800000000${'20000200' + '1c000100'}` +
      '00000000000000000000000000000000' +
      '0700030076310000',
  )
})

test('ip link set lo up (by name instead of by index)', () => {
  expect(bytes(16, 5, { fixed: linkHeader(0, IFF_UP, IFF_UP), attributes: [linkName('lo')] })).toBe(
    '28000000100005000000000000000000' + '00000000000000000100000001000000' + '070003006c6f0000',
  )
})

test('ip rule add fwmark 1337 table 133 pref 100 (with the table as a 32-bit attribute as well)', () => {
  const rule = encodeRule({ family: 'ipv4', fwmark: 1337, table: 133, priority: 100 })
  expect(bytes(32, 0x605, rule)).toBe(
    '34000000200005060000000000000000' +
      '020000008500000100000000' +
      '08000f0085000000' +
      '0800060064000000' +
      '08000a0039050000',
  )
})

test('ip route add local default dev lo table 133 (with the table as a 32-bit attribute as well)', () => {
  const route = encodeRoute({ destination: 'default', family: 'ipv4', type: 'local', table: 133 }, { link: 1 }, 'add')
  expect(bytes(24, 0x605, route)).toBe(
    '2c000000180005060000000000000000' + '020000008503fe0200000000' + '08000f0085000000' + '0800040001000000',
  )
})

test("padding to four bytes is not part of an attribute's length", () => {
  expect(bytes(1, 0, { fixed: Uint8Array.of(9), attributes: [[5, Uint8Array.of(1, 2)]] })).toBe(
    '1c000000010000000000000000000000' + '09000000' + '0600050001020000',
  )
})

test('a table above 255 is sent only as an attribute', () => {
  const { fixed } = encodeRule({ family: 'ipv6', table: 1000 })
  expect(fixed[4]).toBe(0)
})

test.each<[string, NewRoute]>([
  ['needs its family', { destination: 'default' }],
  ['mixes ipv4 and ipv6', { destination: '10.0.0.0/8', gateway: 'fd00::1' }],
  ['mixes ipv6 and ipv4', { destination: 'fd00::/8', family: 'ipv4' }],
  ['Not an IP address', { destination: 'default', gateway: '10.0.0.1/8' }],
  ['Not an address or prefix', { destination: 'everywhere' }],
])('a route that %s is refused', (message, route) => {
  expect(() => encodeRoute(route, {}, 'add')).toThrow(
    expect.objectContaining({ code: 'INVALID', message: expect.stringContaining(message) }),
  )
})

test('a rule whose prefix has the other family is refused', () => {
  expect(() => encodeRule({ family: 'ipv4', table: 1, from: 'fd00::/8' })).toThrow('not an ipv4 prefix')
})

test.each(['', '.', '..', 'a/b', 'a b', 'a:b', 'a\0b', 'sixteen-bytes-xx'])(
  '%j is refused as an interface name',
  (name) => {
    expect(() => linkName(name)).toThrow(expect.objectContaining({ code: 'INVALID' }))
  },
)
