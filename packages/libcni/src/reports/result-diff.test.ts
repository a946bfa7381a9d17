import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { diffResults, formatChange } from './result-diff.ts'

const bridge = {
  cniVersion: '1.0.0',
  interfaces: [{ name: 'br0' }, { name: 'veth1' }, { name: 'eth0', sandbox: '/ns' }],
  ips: [{ address: '10.1.0.2/24', gateway: '10.1.0.1', interface: 2 }],
  routes: [{ dst: '0.0.0.0/0' }],
}
const lines = (before: unknown, after: unknown) => diffResults(before, after).map(formatChange)

describe('changes of a plugin', () => {
  test('the first plugin adds all its entries', () => {
    expect(lines(undefined, bridge)).toEqual([
      '+ interfaces[0] {"name":"br0"}',
      '+ interfaces[1] {"name":"veth1"}',
      '+ interfaces[2] {"name":"eth0","sandbox":"/ns"}',
      '+ ips[0] {"interface":2,"address":"10.1.0.2/24","gateway":"10.1.0.1"}',
      '+ routes[0] {"dst":"0.0.0.0/0"}',
    ])
  })

  test('a plugin that returns prevResult changes nothing', () => {
    expect(diffResults(bridge, structuredClone(bridge))).toEqual([])
  })

  test.each([
    [{ routes: [...bridge.routes, { dst: '10.9.0.0/16' }] }, ['+ routes[1] {"dst":"10.9.0.0/16"}']],
    [{ routes: [] }, ['- routes[0] {"dst":"0.0.0.0/0"}']],
    [
      { ips: [{ address: '10.1.0.2/24', gateway: '10.1.0.9', interface: 2 }] },
      ['~ ips[0].gateway "10.1.0.1" -> "10.1.0.9"'],
    ],
    [
      { ips: [{ address: '10.1.0.3/24', interface: 2 }] },
      [
        '- ips[0] {"interface":2,"address":"10.1.0.2/24","gateway":"10.1.0.1"}',
        '+ ips[0] {"interface":2,"address":"10.1.0.3/24"}',
      ],
    ],
    [{ interfaces: bridge.interfaces.toReversed() }, ['~ interfaces in another order']],
    [{ interfaces: [{ name: 'new' }, ...bridge.interfaces] }, ['+ interfaces[0] {"name":"new"}']],
    [{ dns: { nameservers: ['1.2.3.4'] } }, ['+ dns {"nameservers":["1.2.3.4"]}']],
    [{ vendor: { kept: true } }, ['+ vendor {"kept":true}']],
    [{ dns: {} }, []],
  ])('%j', (change, expected) => {
    expect(lines(bridge, { ...bridge, ...change })).toEqual(expected)
  })

  test('a removed list is reported entry by entry', () => {
    const { ips, ...rest } = bridge
    expect(diffResults(bridge, rest)).toEqual([{ op: 'remove', path: 'ips[0]', before: ips[0] }])
  })

  test('members of dns and unknown members are compared one by one', () => {
    const before = { cniVersion: '1.0.0', dns: { nameservers: ['1.1.1.1', '2.2.2.2'] }, vendor: { a: 1, b: [1, 2] } }
    const after = { cniVersion: '1.0.0', dns: { nameservers: ['2.2.2.2', '3.3.3.3'] }, vendor: { a: 2, b: [2] } }
    expect(lines(before, after)).toEqual([
      '- dns.nameservers[0] "1.1.1.1"',
      '+ dns.nameservers[1] "3.3.3.3"',
      '~ vendor.a 1 -> 2',
      '- vendor.b[0] 1',
    ])
  })

  test('results of different versions are compared by their values', () => {
    const old = { cniVersion: '0.2.0', ip4: { ip: '10.1.0.2/24', gateway: '10.1.0.1' } }
    const same = { cniVersion: '1.0.0', ips: [{ address: '10.1.0.2/24', gateway: '10.1.0.1' }] }
    expect(lines(old, same)).toEqual(['~ cniVersion "0.2.0" -> "1.0.0"'])
  })

  test('the version of a result without one is derived from its members', () => {
    const { cniVersion: _, ...model } = bridge
    const route = { dst: '10.9.0.0/16' }
    const added = [{ op: 'add', path: 'routes[1]', after: route }]
    expect(diffResults(model, { ...model, routes: [...model.routes, route] })).toEqual(added)
    expect(diffResults(undefined, { ips: model.ips })).toEqual([{ op: 'add', path: 'ips[0]', after: model.ips[0] }])
    const old = { ip4: { ip: '10.1.0.2/24' } }
    expect(lines(old, { ip4: { ip: '10.1.0.3/24' } })).toEqual([
      '- ips[0] {"address":"10.1.0.2/24"}',
      '+ ips[0] {"address":"10.1.0.3/24"}',
    ])
  })

  test('an added version is not a change, a removed one is', () => {
    const { cniVersion, ...model } = bridge
    expect(diffResults(model, bridge)).toEqual([])
    expect(diffResults(bridge, model)).toEqual([{ op: 'remove', path: 'cniVersion', before: cniVersion }])
  })

  test('an invalid result is rejected', () => {
    expect(() => diffResults(bridge, { cniVersion: '1.0.0', ips: 5 })).toThrow('ips')
  })
})

const route = fc.record({ dst: fc.constantFrom('0.0.0.0/0', '10.0.0.0/8', '10.9.0.0/16'), gw: fc.constant('10.1.0.1') })
const anyResult = fc.record(
  {
    cniVersion: fc.constant('1.0.0'),
    interfaces: fc.array(fc.record({ name: fc.constantFrom('a', 'b', 'c'), mac: fc.constantFrom('02:00', '02:01') })),
    routes: fc.array(route),
    vendor: fc.jsonValue(),
  },
  { requiredKeys: ['cniVersion'] },
)

test('equal results have no changes, different ones have at least one', () => {
  fc.assert(fc.property(anyResult, (one) => void expect(diffResults(one, structuredClone(one))).toEqual([])))
  fc.assert(
    fc.property(anyResult, route, (one, added) => {
      const { routes = [] } = one
      expect(diffResults(one, { ...one, routes: [...routes, added] })).toHaveLength(1)
    }),
  )
})
