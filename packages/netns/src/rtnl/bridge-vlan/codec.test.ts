import fc from 'fast-check'
import { expect, test } from 'vitest'
import { encodeAttributes } from '../../netlink/encode.ts'
import type { NewBridgeVlan } from '../port/arguments.ts'
import { decodeVlans, encodeVlans } from './codec.ts'

const hex = (vlan: NewBridgeVlan, self: boolean): string => {
  const { fixed, attributes } = encodeVlans(vlan, 2, self)
  // iproute2 does not set the flag of nested attributes.
  return encodeAttributes(attributes, fixed).toString('hex').replace('1a80', '1a00')
}

// Messages of iproute2 6.1, without the netlink header.
const HEADER = '07000000020000000000000000000000'
test.each<[string, NewBridgeVlan, boolean, string]>([
  [
    'add dev b0 vid 100 pvid untagged self',
    { vid: 100, pvid: true, untagged: true },
    true,
    `${HEADER}14001a0006000000020000000800020006006400`,
  ],
  ['add dev v0 vid 200-203', { vid: 200, lastVid: 203 }, false, `${HEADER}14001a00080002000800c800080002001000cb00`],
  ['del dev b0 vid 100 self', { vid: 100 }, true, `${HEADER}14001a0006000000020000000800020000006400`],
])('bridge vlan %s sends the bytes of iproute2', (_, vlan, self, bytes) => {
  expect(hex(vlan, self)).toBe(bytes)
})

test('an encoded VLAN decodes to the same VLAN', () => {
  const vlans = fc.record({ vid: fc.integer({ min: 1, max: 4094 }), pvid: fc.boolean(), untagged: fc.boolean() })
  fc.assert(
    fc.property(vlans, fc.boolean(), (vlan, self) => {
      const { fixed, attributes } = encodeVlans(vlan, 7, self)
      expect(decodeVlans(encodeAttributes(attributes, fixed))).toEqual([{ linkIndex: 7, ...vlan }])
    }),
  )
})
