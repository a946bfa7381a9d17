import { expect, test } from 'vitest'
import { familiesOf, usableAddresses } from './families.ts'

test.each([
  [['127.0.0.1', '1.2.3.5'], false, { ipv6: false, hostIP: '1.2.3.5' }],
  [['::1', '2222:3333::1'], false, { ipv6: true, hostIP: '2222:3333::1' }],
  [['::1', '2222:3333::1'], true, { ipv6: true, hostIP: '2222:3333::1' }],
  [['::1', '127.0.0.1', '1.2.3.5', '2222:3333::1'], true, { ipv6: true, hostIP: '1.2.3.5' }],
  [['1.2.3.5'], true, { ipv6: false, hostIP: '1.2.3.5' }],
  [['::ffff:1.2.3.5'], false, { ipv6: false, hostIP: '1.2.3.5' }],
  [['10.1.0.5/24'], false, { ipv6: false, hostIP: '10.1.0.5' }],
  [['10.1.0.5/24', 'fe80::1/64'], true, { ipv6: false, hostIP: '10.1.0.5' }],
  [['169.254.1.1', 'fe80::1%eth0', 'febf::1', 'fd00::0:5'], false, { ipv6: true, hostIP: 'fd00::5' }],
  [['224.0.0.5', 'ff02::1', '10.0.0.1'], true, { ipv6: false, hostIP: '10.0.0.1' }],
  // Addresses next to the link-local ranges.
  [['169.253.1.1'], false, { ipv6: false, hostIP: '169.253.1.1' }],
  [['168.254.1.1'], false, { ipv6: false, hostIP: '168.254.1.1' }],
  [['fe40::1'], false, { ipv6: true, hostIP: 'fe40::1' }],
  [['fec0::1'], false, { ipv6: true, hostIP: 'fec0::1' }],
  [['fd80::1'], false, { ipv6: true, hostIP: 'fd80::1' }],
  [['224.0.1.1'], false, { ipv6: false, hostIP: '224.0.1.1' }],
  [['224.1.0.1'], false, { ipv6: false, hostIP: '224.1.0.1' }],
  [['223.0.0.1'], false, { ipv6: false, hostIP: '223.0.0.1' }],
  [['ff05::1'], false, { ipv6: true, hostIP: 'ff05::1' }],
  [['127.0.0.1', '::1', 'fe80::1', 'garbage', ''], true, { ipv6: false }],
  [[], false, { ipv6: false }],
] as const)('addresses %j with dualStack %j give %j', (addresses, dualStack, expected) => {
  expect(familiesOf(usableAddresses(addresses), dualStack)).toEqual(expected)
})

test.each([[['1.2.3.5', '2222:3333::1']], [['2222:3333::1', '1.2.3.5']]])(
  'a pod with both families that is not marked as dual-stack has IPv4 only, with ipv6Ignored: %j',
  (addresses) => {
    expect(familiesOf(usableAddresses(addresses), false)).toEqual({ ipv6: false, hostIP: '1.2.3.5', ipv6Ignored: true })
  },
)
