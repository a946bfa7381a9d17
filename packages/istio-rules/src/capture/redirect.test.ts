import { describe, expect, test } from 'vitest'
import type { PodInfo } from '../pod/pod-info.ts'
import { RedirectError } from '../pod/redirect-error.ts'
import { capturesNothing, redirectFor } from './redirect.ts'

const TRAFFIC = 'traffic.sidecar.istio.io/'

function pod(annotations: Record<string, string> = {}, more: Partial<PodInfo> = {}): PodInfo {
  const containers = new Set(['app', 'istio-proxy'])
  return {
    namespace: 'default',
    name: 'web',
    containers,
    labels: {},
    annotations,
    proxyEnv: {},
    hostNetwork: false,
    ...more,
  }
}

describe('annotations', () => {
  test('a pod without annotations captures all ports except the ports of its agent', () => {
    expect(redirectFor(pod())).toEqual({
      interceptionMode: 'REDIRECT',
      includeOutboundIPRanges: '*',
      excludeOutboundIPRanges: { ipv4: [], ipv6: [] },
      includeInboundPorts: '*',
      excludeInboundPorts: [15020, 15021, 15090],
      includeOutboundPorts: [],
      excludeOutboundPorts: [15020],
      excludeInterfaces: [],
      rerouteVirtualInterfaces: [],
      ownerGroups: { mode: 'all-except', groups: [] },
      proxyUID: 1337,
      proxyGID: 1337,
      dnsCapture: false,
      dualStack: false,
      dropInvalid: false,
      loopbackCidr: '127.0.0.1/32',
    })
  })

  test.each([
    ['', [15020, 15021, 15090]],
    ['3306', [3306, 15020, 15021, 15090]],
    ['15090,22', [15090, 22, 15020, 15021]],
    [' 22 , 022,22', [22, 15020, 15021, 15090]],
  ])('excludeInboundPorts %j becomes %j', (value, expected) => {
    expect(redirectFor(pod({ [`${TRAFFIC}excludeInboundPorts`]: value })).excludeInboundPorts).toEqual(expected)
  })

  test('an empty annotation overrides the default', () => {
    const redirect = redirectFor(
      pod({
        [`${TRAFFIC}includeInboundPorts`]: '',
        [`${TRAFFIC}includeOutboundIPRanges`]: '',
        [`${TRAFFIC}excludeOutboundPorts`]: '',
      }),
    )
    expect(redirect).toMatchObject({
      includeInboundPorts: [],
      includeOutboundIPRanges: { ipv4: [], ipv6: [] },
      excludeOutboundPorts: [],
    })
  })

  test('the deprecated key for virtual interfaces is used if the new key is absent', () => {
    const kubevirt = { [`${TRAFFIC}kubevirtInterfaces`]: 'net1' }
    expect(redirectFor(pod(kubevirt)).rerouteVirtualInterfaces).toEqual(['net1'])
    expect(
      redirectFor(pod({ ...kubevirt, 'istio.io/reroute-virtual-interfaces': 'net2,net3' })).rerouteVirtualInterfaces,
    ).toEqual(['net2', 'net3'])
  })

  test('the deprecated key is not validated if the new key is present, even if that is empty', () => {
    const both = { [`${TRAFFIC}kubevirtInterfaces`]: '0;', 'istio.io/reroute-virtual-interfaces': '' }
    expect(redirectFor(pod(both)).rerouteVirtualInterfaces).toEqual([])
  })

  test('interceptionMode NONE captures nothing', () => {
    expect(capturesNothing(pod({ 'sidecar.istio.io/interceptionMode': 'NONE' }))).toBe(true)
    expect(capturesNothing(pod({ 'sidecar.istio.io/interceptionMode': 'TPROXY' }))).toBe(false)
    expect(capturesNothing(pod())).toBe(false)
  })
})

describe('the proxy', () => {
  test.each([
    [{}, 1337, 1337],
    [{ proxyUID: 0, proxyGID: 0 }, 1337, 1337],
    [{ proxyUID: 1000670000, proxyGID: 1000670001 }, 1000670000, 1000670001],
    [{ proxyUID: 5 }, 5, 1337],
  ])('identity %j is uid %i and gid %i', (identity, proxyUID, proxyGID) => {
    expect(redirectFor(pod({}, identity))).toMatchObject({ proxyUID, proxyGID })
  })

  test.each([-1, 1.5, 2 ** 32 - 1, Number.NaN])('identity %d causes an error', (proxyUID) => {
    expect(() => redirectFor(pod({}, { proxyUID }))).toThrow(
      /^securityContext runAsUser of pod default\/web is .*: expected an id from 0 to 4294967294$/,
    )
  })

  test.each(['1', 't', 'T', 'TRUE', 'true', 'True'])('a variable %j is true', (value) => {
    const proxyEnv = { ISTIO_META_DNS_CAPTURE: value, ISTIO_DUAL_STACK: value, INVALID_DROP: value }
    expect(redirectFor(pod({}, { proxyEnv }))).toMatchObject({ dnsCapture: true, dualStack: true, dropInvalid: true })
  })

  test.each(['0', 'f', 'F', 'FALSE', 'false', 'False'])('a variable %j is false without a warning', (value) => {
    const log = () => expect.unreachable()
    expect(redirectFor(pod({}, { proxyEnv: { INVALID_DROP: value } }), { log }).dropInvalid).toBe(false)
  })

  test.each(['', 'yes', ' true', 'tRUE'])('a variable %j is false with a warning that names it', (value) => {
    const lines: string[] = []
    const proxyEnv = { ISTIO_META_DNS_CAPTURE: value }
    const redirect = redirectFor(pod({}, { proxyEnv }), { log: (level, message) => lines.push(`${level} ${message}`) })
    expect(redirect.dnsCapture).toBe(false)
    expect(lines).toEqual([
      `warn environment variable ISTIO_META_DNS_CAPTURE of pod default/web is ${JSON.stringify(value)}, not a boolean: taken as false`,
    ])
  })
})

describe('owner groups', () => {
  const INCLUDE = 'ISTIO_OUTBOUND_OWNER_GROUPS'
  const EXCLUDE = 'ISTIO_OUTBOUND_OWNER_GROUPS_EXCLUDE'

  test.each([
    [{ [INCLUDE]: '*' }, { mode: 'all-except', groups: [] }],
    [{ [EXCLUDE]: '500,0501' }, { mode: 'all-except', groups: [500, 501] }],
    [{ [INCLUDE]: '202, 203,,202' }, { mode: 'only', groups: [202, 203] }],
    [
      { [INCLUDE]: '202', [EXCLUDE]: '500' },
      { mode: 'only', groups: [202] },
    ],
    [{ [INCLUDE]: '' }, { mode: 'only', groups: [] }],
  ])('the proxy variables %j mean %j', (proxyEnv, expected) => {
    expect(redirectFor(pod({}, { proxyEnv })).ownerGroups).toEqual(expected)
  })

  test.each([
    [{ [INCLUDE]: '' }, {}, ['warn environment variable ISTIO_OUTBOUND_OWNER_GROUPS of pod default/web']],
    [{}, { [INCLUDE]: ',' }, ['warn environment variable ISTIO_OUTBOUND_OWNER_GROUPS of this node']],
    [{ [INCLUDE]: '202' }, {}, []],
    [{ [INCLUDE]: '*' }, {}, []],
  ])(
    'an empty variable causes a warning that no outbound traffic is captured: %j, of the node %j',
    (proxyEnv, env, said) => {
      const lines: unknown[] = []
      redirectFor(pod({}, { proxyEnv }), {
        env,
        log: (level, message, fields) => lines.push([`${level} ${message}`, fields]),
      })
      expect(lines).toEqual(said.map((who) => [`${who} is empty: nothing outbound is captured`, { key: INCLUDE }]))
    },
  )

  test.each(['12a', 'a12', '1 2', '٣'])('a group %j causes an error that it is not a number', (value) => {
    expect(() => redirectFor(pod({}, { proxyEnv: { [EXCLUDE]: value } }))).toThrow(
      `${JSON.stringify(value)} is not a numeric group id, write ids as "1000,2000"`,
    )
  })

  test('variables of the pod take precedence over variables of the node', () => {
    const env = { [INCLUDE]: '1', [EXCLUDE]: '2' }
    expect(redirectFor(pod(), { env }).ownerGroups).toEqual({ mode: 'only', groups: [1] })
    expect(redirectFor(pod({}, { proxyEnv: { [INCLUDE]: '*' } }), { env }).ownerGroups).toEqual({
      mode: 'all-except',
      groups: [2],
    })
  })

  test('64 included groups and 1000 excluded groups are valid, 65 included groups are not', () => {
    const ids = (count: number) => Array.from({ length: count }, (_, i) => i).join()
    expect(redirectFor(pod({}, { proxyEnv: { [INCLUDE]: ids(64) } })).ownerGroups.groups).toHaveLength(64)
    expect(redirectFor(pod({}, { proxyEnv: { [EXCLUDE]: ids(1000) } })).ownerGroups.groups).toHaveLength(1000)
    expect(() => redirectFor(pod({}, { proxyEnv: { [INCLUDE]: ids(65) } }))).toThrow(
      /^environment variable ISTIO_OUTBOUND_OWNER_GROUPS of pod default\/web is "0,1,.*…": it lists 65 groups/,
    )
  })

  test.each(['java', '-1', '4294967295', '*,5', '5 -j ACCEPT', '5\n-A OUTPUT'])('groups %j cause an error', (value) => {
    expect(() => redirectFor(pod({}, { proxyEnv: { [EXCLUDE]: value } }))).toThrow(RedirectError)
  })
})

describe('the loopback range of the node', () => {
  const loopback = (value: string) => redirectFor(pod(), { env: { ISTIO_OUTBOUND_IPV4_LOOPBACK_CIDR: value } })

  test.each(['127.0.0.1/32', '127.0.0.0/8', '127.1.0.0/16'])('%s is accepted', (value) => {
    expect(loopback(value).loopbackCidr).toBe(value)
  })

  test.each(['', '10.0.0.0/8', '127.0.0.0/7', '::1/128', '127.0.0.1', '127.0.0.1/32 -j ACCEPT'])(
    '%j causes an error',
    (value) => {
      expect(() => loopback(value)).toThrow(
        /^environment variable ISTIO_OUTBOUND_IPV4_LOOPBACK_CIDR of this node is .*: expected a range inside 127\.0\.0\.0\/8/,
      )
    },
  )
})

describe('an error', () => {
  test('names the annotation, the value and the pod, and has the CNI code 7', () => {
    const error = thrown(() => redirectFor(pod({ [`${TRAFFIC}includeInboundPorts`]: '80,http' })))
    expect(error.message).toBe(
      'annotation traffic.sidecar.istio.io/includeInboundPorts of pod default/web is "80,http": "http" is not a port (0 to 65535)',
    )
    expect(Reflect.get(error, Symbol.for('cni.error'))).toEqual({ code: 7 })
    expect(error.name).toBe('RedirectError')
    expect(error.cause).toBeInstanceOf(Error)
  })

  test('is about the first invalid value, in the order of the registry', () => {
    const bad = { [`${TRAFFIC}kubevirtInterfaces`]: '0;', [`${TRAFFIC}excludeOutboundIPRanges`]: 'x' }
    expect(thrown(() => redirectFor(pod(bad))).key).toBe('traffic.sidecar.istio.io/excludeOutboundIPRanges')
  })

  test.each(['excludeInboundPorts', 'excludeOutboundPorts', 'includeOutboundPorts', 'excludeOutboundIPRanges'])(
    'a wildcard in %s names the annotation and says what to write',
    (name) => {
      const error = thrown(() => redirectFor(pod({ [TRAFFIC + name]: '*' })))
      expect(error.message).toMatch(
        `annotation ${TRAFFIC}${name} of pod default/web is "*": "*" is not possible here, write`,
      )
    },
  )

  test.each([
    ['80\n-A OUTPUT -j ACCEPT', '"80\\n-A OUTPUT -j ACCEPT"'],
    ['\u0000\u001b[2J\u2028\u202e\u0085', '"\\u0000\\u001b[2J\\u2028\\u202e\\u0085"'],
    ['8\u00a00', '"8\\u00a00"'],
    ['"', '"\\""'],
    ['9'.repeat(1_000_000), `"${'9'.repeat(77)}…"`],
  ])('quotes a hostile value with its control characters escaped: %#', (value, quoted) => {
    const { message } = thrown(() => redirectFor(pod({ [`${TRAFFIC}includeInboundPorts`]: value })))
    expect(message).toContain(` is ${quoted}: `)
    expect(message.length).toBeLessThan(300)
  })
})

function thrown(body: () => unknown): RedirectError {
  try {
    body()
  } catch (error) {
    if (error instanceof RedirectError) return error
    throw error
  }
  throw new Error('nothing was thrown')
}
