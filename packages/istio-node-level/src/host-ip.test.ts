import { expect, test } from 'vitest'
import { hostIpOf } from './host-ip.ts'
import { NodeLevelError } from './node-level-error.ts'

const internal = (address: unknown) => ({ type: 'InternalIP', address })
const node = (podCIDR: unknown, ...addresses: readonly unknown[]) => ({
  metadata: { name: 'n1' },
  spec: { podCIDR },
  status: { addresses },
})

test.each<[string, unknown, readonly string[], string]>([
  ['an own address in podCIDR', node('10.60.0.0/24', internal('192.0.2.1')), ['192.0.2.1', '10.60.0.1'], '10.60.0.1'],
  ['the first of several addresses in podCIDR', node('10.60.0.0/24'), ['10.60.0.9', '10.60.0.1'], '10.60.0.9'],
  ['an address in a podCIDR with host bits', node('10.60.0.77/24'), ['10.60.0.1'], '10.60.0.1'],
  [
    'InternalIP if no own address is in podCIDR',
    node('10.60.0.0/24', internal('192.0.2.1')),
    ['192.0.2.1', '10.61.0.1'],
    '192.0.2.1',
  ],
  ['InternalIP without a podCIDR', node(undefined, internal('192.0.2.1')), ['10.60.0.1'], '192.0.2.1'],
  ['InternalIP for an IPv6 podCIDR', node('fd00::/64', internal('192.0.2.1')), ['fd00::1'], '192.0.2.1'],
  ['InternalIP for an invalid podCIDR', node('here', internal('192.0.2.1')), ['10.60.0.1'], '192.0.2.1'],
  ['the IPv4 InternalIP', node('', internal('fd00::1'), internal('192.0.2.1')), [], '192.0.2.1'],
  ['no ExternalIP', node('', { type: 'ExternalIP', address: '198.51.100.1' }, internal('192.0.2.1')), [], '192.0.2.1'],
])("the node's address: %s", (_, document, own, expected) => {
  expect(hostIpOf(document, own).ip).toBe(expected)
})

test.each([
  [node('10.60.0.0/24')],
  [node('', internal('fd00::1'))],
  [node('', internal(7))],
  [{ spec: 7, status: { addresses: 'x' } }],
  [null],
])('%j has no node address, which is an error', (document) => {
  const ask = () => hostIpOf(document, ['192.0.2.1', 'fd00::1'])
  expect(ask).toThrow(NodeLevelError)
  expect(ask).toThrow('is unknown: none of its addresses is in its podCIDR, and it has no IPv4 InternalIP')
})
