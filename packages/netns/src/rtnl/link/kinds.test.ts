import fc from 'fast-check'
import { expect, test } from 'vitest'
import { decodeAttributes } from '../../netlink/decode.ts'
import { encodeAttributes } from '../../netlink/encode.ts'
import { readCString } from '../../netlink/values.ts'
import type { NewLink } from '../port/link.ts'
import { decodeLink } from './decode.ts'
import { encodeNewLink } from './encode.ts'
import { IFINFOMSG, IFLA_INFO_DATA, IFLA_INFO_KIND, IFLA_LINKINFO } from './wire.ts'

/** Lists attributes by path, as `18/2/1 6400`. The kind is shown as text. */
function attributesOf(body: Buffer): string[] {
  const walk = (bytes: Buffer, fixed: number, path: readonly number[]): string[] =>
    decodeAttributes(bytes, fixed).flatMap(([type, value]) => {
      const here = [...path, type]
      const name = here.join('/')
      if (name === `${IFLA_LINKINFO}` || name === `${IFLA_LINKINFO}/${IFLA_INFO_DATA}`) return walk(value, 0, here)
      if (name === `${IFLA_LINKINFO}/${IFLA_INFO_KIND}`) return [`${name} ${readCString(value)}`]
      return [`${name} ${value.toString('hex')}`]
    })
  return walk(body, IFINFOMSG, []).sort()
}

const bodyOf = (link: NewLink): Buffer => {
  const { fixed, attributes } = encodeNewLink(link, {
    parent: 'parent' in link && link.parent !== undefined ? 1 : undefined,
  })
  return encodeAttributes(attributes, fixed)
}

// Messages of iproute2 6.1 for the command in the title, without the netlink header.
const ZERO = '00000000000000000000000000000000'
const sent: Array<[string, string, NewLink]> = [
  [
    'ip link add dummy0 type dummy',
    `${ZERO}0b00030064756d6d79300000100012000900010064756d6d79000000`,
    { kind: 'dummy', name: 'dummy0' },
  ],
  [
    'ip link add link lo name x0 type vlan id 100',
    `${ZERO}080005000100000007000300783000001800120008000100766c616e0c0002000600010064000000`,
    { kind: 'vlan', name: 'x0', parent: 'lo', vlan: { id: 100 } },
  ],
  [
    'ip link add link lo name x0 type vlan proto 802.1ad id 4094',
    `${ZERO}080005000100000007000300783000002000120008000100766c616e140002000600050088a8000006000100fe0f0000`,
    { kind: 'vlan', name: 'x0', parent: 'lo', vlan: { id: 4094, protocol: '802.1ad' } },
  ],
  [
    'ip link add link lo name x0 type ipvlan mode l3s private',
    `${ZERO}08000500010000000700030078300000240012000a0001006970766c616e00001400020006000100020000000600020001000000`,
    { kind: 'ipvlan', name: 'x0', parent: 'lo', ipvlan: { mode: 'l3s', isolation: 'private' } },
  ],
  [
    'ip link add link lo name x0 type macvlan mode private',
    `${ZERO}080005000100000007000300783000001c0012000b0001006d6163766c616e000c0002000800010001000000`,
    { kind: 'macvlan', name: 'x0', parent: 'lo', macvlan: { mode: 'private' } },
  ],
  [
    'ip link add x0 type geneve id 7 remote 10.9.0.2 dstport 6081 ttl 5',
    `${ZERO}0700030078300000440012000a00010067656e6576650000340002000800010007000000080002000a09000208000b0000000000050003000500000005000400000000000600050017c10000`,
    { kind: 'geneve', name: 'x0', geneve: { id: 7, remote: '10.9.0.2', port: 6081, ttl: 5 } },
  ],
  [
    'ip link add x0 type vxlan id 7 local 10.9.0.1 remote 10.9.0.2 dstport 4789 nolearning dev lo',
    `${ZERO}0700030078300000440012000900010076786c616e0000003400020008000300010000000800010007000000080004000a090001080002000a090002050007000000000006000f0012b50000`,
    {
      kind: 'vxlan',
      name: 'x0',
      parent: 'lo',
      vxlan: { id: 7, local: '10.9.0.1', remote: '10.9.0.2', port: 4789, learning: false },
    },
  ],
]

// Attributes that iproute2 sends although they have the kernel's default value: flow label and type of service of
// GENEVE.
const UNSAID = new Set(['18/2/11 00000000', '18/2/4 00'])

test.each(sent)('%s sends the attributes of iproute2', (_, hex, link) => {
  const theirs = attributesOf(Buffer.from(hex, 'hex')).filter((attribute) => !UNSAID.has(attribute))
  expect(attributesOf(bodyOf(link))).toEqual(theirs)
})

test.each(sent)('the message of %s decodes to the same link', (_, __, link) => {
  const { parent: ___, ...said } = { parent: undefined, ...link }
  expect(decodeLink(bodyOf(link))).toMatchObject(said)
})

test('encoded options of a bridge decode to the same options', () => {
  const seconds = fc.integer({ min: 0, max: 4_000_000 }).map((hundredths) => hundredths / 100)
  const options = fc.record({
    vlanFiltering: fc.boolean(),
    vlanDefaultPvid: fc.integer({ min: 0, max: 4094 }),
    ageingSeconds: seconds,
    stp: fc.boolean(),
    forwardDelaySeconds: seconds,
    helloSeconds: seconds,
    maxAgeSeconds: seconds,
    priority: fc.integer({ min: 0, max: 65535 }),
    multicastSnooping: fc.boolean(),
    groupForwardMask: fc.integer({ min: 0, max: 65535 }),
  })
  fc.assert(
    fc.property(options, (bridge) => {
      expect(decodeLink(bodyOf({ kind: 'bridge', name: 'b0', bridge }))).toMatchObject({ kind: 'bridge', bridge })
    }),
  )
})

const refused: Array<[string, object]> = [
  ['vlan.id: expected an integer from 0 to 4094, got 4095', { kind: 'vlan', parent: 'lo', vlan: { id: 4095 } }],
  ['vlan.protocol: expected one of 802.1q, 802.1ad', { kind: 'vlan', parent: 'lo', vlan: { id: 1, protocol: 'x' } }],
  ['needs parent', { kind: 'vlan', vlan: { id: 1 } }],
  ['needs vlan', { kind: 'vlan', parent: 'lo' }],
  ['needs peer', { kind: 'veth' }],
  ['needs parent', { kind: 'macvlan' }],
  ['macvlan.mode: expected one of private,', { kind: 'macvlan', parent: 'lo', macvlan: { mode: 'toString' } }],
  ['ipvlan.mode: expected one of l2,', { kind: 'ipvlan', parent: 'lo', ipvlan: { mode: 'l4' } }],
  ['vxlan.id: expected an integer from 0 to 16777215', { kind: 'vxlan', vxlan: { id: 0x1000000 } }],
  ['vxlan.remote: expected an IP address, got "x"', { kind: 'vxlan', vxlan: { id: 1, remote: 'x' } }],
  ['vxlan.port: expected an integer from 0 to 65535', { kind: 'vxlan', vxlan: { id: 1, port: 65536 } }],
  ['geneve.remote: expected an IP address, got nothing', { kind: 'geneve', geneve: { id: 1 } }],
  ['bridge.stp: expected true or false', { kind: 'bridge', bridge: { stp: 'yes' } }],
  ['bridge.vlanFiltering: expected true or false, got 1', { kind: 'bridge', bridge: { vlanFiltering: 1 } }],
  ['bridge.ageingSeconds: expected seconds, got -1', { kind: 'bridge', bridge: { ageingSeconds: -1 } }],
  ['is of the kind "bond"', { kind: 'bond' }],
  ['has no kind', {}],
  ['txqlen: expected an integer', { kind: 'dummy', txqlen: -1 }],
  ['mtu: expected an integer', { kind: 'dummy', mtu: 2 ** 31 }],
  ['Not a MAC address: "02:00:00:00:00:0g"', { kind: 'dummy', mac: '02:00:00:00:00:0g' }],
]

test.each(refused)('an invalid link is refused before any request, with the message: %s', (message, link) => {
  // JSON round trip: the values have the types of a plugin configuration.
  const parsed: NewLink = JSON.parse(JSON.stringify({ name: 'x0', ...link }))
  expect(() => bodyOf(parsed)).toThrow(
    expect.objectContaining({ name: 'NetnsError', code: 'INVALID', message: expect.stringContaining(message) }),
  )
})
