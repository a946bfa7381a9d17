import { describe, expect, test } from 'vitest'
import { assignInterface, mergeResults, resolveRoutes } from './merge.ts'
import type { Result } from './model.ts'

const sandbox = '/run/netns/a'
const eth0 = { name: 'eth0', sandbox }
const bridge = { name: 'cni0', mac: '02:00:00:00:00:01' }

describe('mergeResults', () => {
  test.each<readonly [string, readonly Result[], Result]>([
    ['nothing', [], {}],
    ['a single result does not change', [{ interfaces: [eth0], x: 1 }], { interfaces: [eth0], x: 1 }],
    [
      'an IPAM plugin’s addresses are added to the interfaces',
      [{ interfaces: [eth0] }, { ips: [{ address: '10.1.0.2/24' }], routes: [{ dst: '0.0.0.0/0' }] }],
      { interfaces: [eth0], ips: [{ address: '10.1.0.2/24' }], routes: [{ dst: '0.0.0.0/0' }] },
    ],
    [
      'an address keeps its interface under a new index',
      [{ interfaces: [bridge] }, { interfaces: [eth0], ips: [{ address: '10.1.0.2/24', interface: 0 }] }],
      { interfaces: [bridge, eth0], ips: [{ address: '10.1.0.2/24', interface: 1 }] },
    ],
    [
      'an interface is listed once, with the members of all results',
      [{ interfaces: [eth0] }, { interfaces: [bridge, { ...eth0, mac: '02:00:00:00:00:02' }] }],
      { interfaces: [{ ...eth0, mac: '02:00:00:00:00:02' }, bridge] },
    ],
    [
      'interfaces of the same name on the node and in a container stay separate',
      [{ interfaces: [{ name: 'eth0' }] }, { interfaces: [eth0] }],
      { interfaces: [{ name: 'eth0' }, eth0] },
    ],
    [
      'an invalid index is dropped',
      [
        { interfaces: [eth0] },
        {
          ips: [
            { address: '10.1.0.2/24', interface: 0 },
            { address: '10.1.0.3/24', interface: -1 },
          ],
        },
      ],
      { interfaces: [eth0], ips: [{ address: '10.1.0.2/24' }, { address: '10.1.0.3/24' }] },
    ],
    [
      'routes that differ in gateway, table or priority are all listed, equal ones once',
      [
        { routes: [{ dst: '0.0.0.0/0', gw: '10.1.0.1' }] },
        {
          routes: [
            { dst: '0.0.0.0/0', gw: '10.1.0.1', mtu: 1400 },
            { dst: '0.0.0.0/0', gw: '10.1.0.9' },
            { dst: '0.0.0.0/0', gw: '10.1.0.9', table: 7 },
            { dst: '0.0.0.0/0', gw: '10.1.0.9', table: 7, priority: 1 },
          ],
        },
      ],
      {
        routes: [
          { dst: '0.0.0.0/0', gw: '10.1.0.1' },
          { dst: '0.0.0.0/0', gw: '10.1.0.9' },
          { dst: '0.0.0.0/0', gw: '10.1.0.9', table: 7 },
          { dst: '0.0.0.0/0', gw: '10.1.0.9', table: 7, priority: 1 },
        ],
      },
    ],
    [
      'DNS settings are joined, and the first domain wins',
      [
        { dns: { domain: 'a', nameservers: ['10.0.0.1'] } },
        { dns: { domain: 'b', nameservers: ['10.0.0.1', '10.0.0.2'], search: ['c'] } },
      ],
      { dns: { domain: 'a', nameservers: ['10.0.0.1', '10.0.0.2'], search: ['c'] } },
    ],
    ['the first of equal unknown members wins', [{ a: 1 }, { a: 2, b: 3 }], { a: 1, b: 3 }],
  ])('%s', (_, results, merged) => {
    const before = structuredClone(results)
    expect(mergeResults(...results)).toEqual(merged)
    expect(results).toEqual(before)
  })

  test('a member named __proto__ stays a member', () => {
    const merged = mergeResults({}, JSON.parse('{"__proto__":{"ips":[]}}'))
    expect(Object.keys(merged)).toEqual(['__proto__'])
    expect(merged.ips).toBeUndefined()
  })
})

describe('assignInterface', () => {
  test("addresses without an interface get the container's; others keep theirs", () => {
    const ips = [
      { address: '10.1.0.2/24' },
      { address: 'fd00::2/64', interface: -1 },
      { address: '10.2.0.2/24', interface: 0 },
    ]
    const { ips: assigned } = assignInterface({ interfaces: [{ name: 'eth0' }, eth0], ips }, 'eth0')
    expect(assigned?.map(({ interface: index }) => index)).toEqual([1, 1, 0])
    expect(ips[0]).toEqual({ address: '10.1.0.2/24' })
  })

  test.each<readonly [Result, string]>([
    [{}, 'it has none'],
    [{ interfaces: [eth0] }, 'it has eth0'],
    [{ interfaces: [{ name: 'net1' }, bridge] }, 'it has net1 (on the node), cni0 (on the node)'],
  ])('%j is rejected if it has no such interface in a container', (result, has) => {
    expect(() => assignInterface(result, 'net1')).toThrow(
      expect.objectContaining({ code: 999, message: `the result has no interface "net1" with a sandbox; ${has}` }),
    )
  })
})

test.each<readonly [string, Result, Result['routes']]>([
  ['no routes', { ips: [{ address: '10.1.0.2/24', gateway: '10.1.0.1' }] }, []],
  [
    'the gateway of an address of its family',
    {
      ips: [
        { address: 'fd00::2/64', gateway: 'fd00::1' },
        { address: '10.1.0.2/24', gateway: '10.1.0.1' },
      ],
      routes: [{ dst: '0.0.0.0/0' }, { dst: '::/0', mtu: 1400 }],
    },
    [
      { dst: '0.0.0.0/0', gw: '10.1.0.1' },
      { dst: '::/0', mtu: 1400, gw: 'fd00::1' },
    ],
  ],
  [
    'the first of several gateways',
    {
      ips: [
        { address: '10.1.0.2/24' },
        { address: '10.2.0.2/24', gateway: '10.2.0.1' },
        { address: '10.3.0.2/24', gateway: '10.3.0.1' },
      ],
      routes: [{ dst: '0.0.0.0/0' }],
    },
    [{ dst: '0.0.0.0/0', gw: '10.2.0.1' }],
  ],
  [
    'its own gateway before any other, and none where none is known',
    {
      ips: [{ address: '10.1.0.2/24', gateway: '10.1.0.1' }],
      routes: [{ dst: '10.9.0.0/16', gw: '10.1.0.7' }, { dst: 'fd01::/64' }],
    },
    [{ dst: '10.9.0.0/16', gw: '10.1.0.7' }, { dst: 'fd01::/64' }],
  ],
])('a route uses %s', (_, result, routes) => expect(resolveRoutes(result)).toEqual(routes))
