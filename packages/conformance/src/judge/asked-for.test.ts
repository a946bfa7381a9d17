import { expect, test } from 'vitest'
import { addressesAskedFor } from './asked-for.ts'

test.each([
  ['the static plugin', { ipam: { addresses: [{ address: '10.1.2.3/24', gateway: '10.1.2.1' }] } }, ['10.1.2.3']],
  ['a capability', { runtimeConfig: { ips: ['10.1.2.3', '2001:DB8::0:1/64'] } }, ['10.1.2.3', '2001:db8::1']],
  ['args', { args: { cni: { ips: ['10.1.2.3/24'] } } }, ['10.1.2.3']],
  ['a range is to choose from', { ipam: { ranges: [[{ subnet: '10.1.2.0/24', rangeStart: '10.1.2.3' }]] } }, []],
  ['what is no address', { ips: [5, 'x', null], address: {} }, []],
])('%s: %j', (_, conf, addresses) => {
  expect([...addressesAskedFor(conf)]).toEqual(addresses)
})

test('CNI_ARGS may contain IP=', () => {
  const args = 'IgnoreUnknown=1;IP=10.1.2.3/24,10.1.2.4;K8S_POD_IP=10.9.9.9'
  expect([...addressesAskedFor({}, args)]).toEqual(['10.1.2.3', '10.1.2.4'])
})
