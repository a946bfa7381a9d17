import { expect, test } from 'vitest'
import { decodeMessages, type Message } from '../netlink/decode.ts'
import { type Attribute, encodeAttributes } from '../netlink/encode.ts'
import { decodeAddress } from './address/decode.ts'
import { decodeLink } from './link/decode.ts'
import { decodeRoute } from './route/decode.ts'
import { isRoute } from './route/match.ts'
import { decodeRule, isRule } from './rule/codec.ts'

// Datagrams of Linux 6.18.
const RULES =
  '340000002000020001000000a20a000002000000ff0000010000000008000f00ff00000008000e00ffffffff0500150002000000' +
  '3c0000002000020001000000a20a000002000000fe0000010000000008000f00fe00000008000e00ffffffff050015000200000008000600fe7f0000'
const ADDRESSES =
  '4c0000001400020005000000a20a0000020880fe01000000080001007f000001080002007f000001070003006c6f0000080008008000000014000600' +
  'ffffffffffffffff810d0500810d0500' +
  '500000001400020005000000a20a00000a8080fe01000000140001000000000000000000000000000000000114000600ffffffffffffffff' +
  '810d0500810d0500080008008000000005000b0001000000'

const messages = (hex: string): Message[] => decodeMessages(Buffer.from(hex, 'hex'))
const build = (fixed: string, attributes: readonly Attribute[]) =>
  encodeAttributes(attributes, Buffer.from(fixed, 'hex'))

test('decodes the rules of a new namespace', () => {
  expect(messages(RULES).map(({ body }) => decodeRule(body))).toEqual([
    { family: 'ipv4', table: 255, priority: 0, invert: false },
    { family: 'ipv4', table: 254, priority: 32766, invert: false },
  ])
})

test('decodes the addresses of lo', () => {
  expect(messages(ADDRESSES).map(({ body }) => decodeAddress(body))).toEqual([
    expect.objectContaining({ family: 'ipv4', cidr: '127.0.0.1/8', linkIndex: 1, scope: 'host', tentative: false }),
    expect.objectContaining({ family: 'ipv6', cidr: '::1/128', linkIndex: 1, scope: 'host', duplicate: false }),
  ])
})

test('decodes flags, MAC, kind, master and parent of a link', () => {
  const body = build(`00000000070000004300000000000000`, [
    [1, Uint8Array.of(2, 0, 0, 0xab, 0, 1)],
    [3, Buffer.from('eth0\0')],
    [4, Uint8Array.of(0xdc, 5, 0, 0)],
    [5, Uint8Array.of(12, 0, 0, 0)],
    [10, Uint8Array.of(3, 0, 0, 0)],
    [13, Uint8Array.of(0xe8, 3, 0, 0)],
    [18, [[1, Buffer.from('veth\0')]]],
  ])
  expect(decodeLink(body)).toEqual({
    index: 7,
    name: 'eth0',
    mac: '02:00:00:ab:00:01',
    mtu: 1500,
    txqlen: 1000,
    up: true,
    running: true,
    loopback: false,
    promisc: false,
    allmulti: false,
    kind: 'veth',
    master: 3,
    parent: 12,
  })
})

test('messages of families other than IPv4 and IPv6 are skipped', () => {
  expect(decodeRoute(build('1c00000000000000' + '00000000', []))).toBeUndefined()
  expect(decodeAddress(build('1c00000001000000', [[1, Uint8Array.of(1)]]))).toBeUndefined()
})

test('a route matches only if all given members are equal', () => {
  const route = decodeRoute(
    build('020c0000fe03fd0100000000', [
      [15, Uint8Array.of(254, 0, 0, 0)],
      [1, Uint8Array.of(10, 0, 0, 0)],
      [4, Uint8Array.of(2, 0, 0, 0)],
    ]),
  )
  if (route === undefined) throw new Error('not decoded')
  expect(route).toMatchObject({
    destination: '10.0.0.0/12',
    cidr: '10.0.0.0/12',
    table: 254,
    type: 'unicast',
    scope: 'link',
    linkIndex: 2,
  })
  expect(isRoute(route, { destination: '10.1.2.3/12' }, { link: 2 })).toBe(true)
  expect(isRoute(route, { destination: '10.1.2.3/12' }, { link: 3 })).toBe(false)
  expect(isRoute(route, { destination: '10.1.2.3/12', gateway: '10.0.0.1' }, { link: 2 })).toBe(false)
  expect(isRoute(route, { destination: '10.1.2.3/12', table: 7 }, { link: 2 })).toBe(false)
  expect(isRoute(route, { destination: '10.1.2.3/12', type: 'local', table: 254 }, { link: 2 })).toBe(false)
  expect(isRoute(route, { destination: '10.1.2.3/12', metric: 5 }, { link: 2 })).toBe(false)
})

test('a rule with unknown selectors never matches', () => {
  const fixed = '020000008500000100000000'
  const mark: [number, Uint8Array] = [10, Uint8Array.of(0x39, 5, 0, 0)]
  const mask: [number, Uint8Array] = [16, Uint8Array.of(255, 255, 255, 255)]
  const wanted = { family: 'ipv4', table: 133, fwmark: 1337 } as const
  expect(isRule(build(fixed, [mark, mask]), wanted)).toBe(true)
  expect(isRule(build(fixed, [mark, mask]), { ...wanted, fwmark: 1 })).toBe(false)
  expect(isRule(build(fixed, [mark, mask]), { family: 'ipv4', table: 133 })).toBe(false)
  expect(isRule(build(fixed, [mark, mask, [17, Buffer.from('lo\0')]]), wanted)).toBe(false)
  expect(isRule(build(fixed, [mark, mask]), { ...wanted, priority: 5 })).toBe(false)
})

test('an fwmark with the highest bit set is a positive number', () => {
  const body = build('020000008500000100000000', [[10, Uint8Array.of(0, 0, 0, 0x80)]])
  expect(decodeRule(body)?.fwmark).toBe(0x80000000)
})
