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
  ['its own in podCIDR', node('10.60.0.0/24', internal('192.0.2.1')), ['192.0.2.1', '10.60.0.1'], '10.60.0.1'],
  ['the first of them', node('10.60.0.0/24'), ['10.60.0.9', '10.60.0.1'], '10.60.0.9'],
  ['of a prefix that is written by one of its hosts', node('10.60.0.77/24'), ['10.60.0.1'], '10.60.0.1'],
  ['none in podCIDR: InternalIP', node('10.60.0.0/24', internal('192.0.2.1')), ['192.0.2.1', '10.61.0.1'], '192.0.2.1'],
  ['no podCIDR: InternalIP', node(undefined, internal('192.0.2.1')), ['10.60.0.1'], '192.0.2.1'],
  ['podCIDR of IPv6: InternalIP', node('fd00::/64', internal('192.0.2.1')), ['fd00::1'], '192.0.2.1'],
  ['podCIDR that is none: InternalIP', node('here', internal('192.0.2.1')), ['10.60.0.1'], '192.0.2.1'],
  ['the InternalIP of IPv4', node('', internal('fd00::1'), internal('192.0.2.1')), [], '192.0.2.1'],
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
])('%j does not tell it, which is said', (document) => {
  const ask = () => hostIpOf(document, ['192.0.2.1', 'fd00::1'])
  expect(ask).toThrow(NodeLevelError)
  expect(ask).toThrow('cannot be told: no address of it is in its podCIDR, and it has no InternalIP of IPv4')
})
