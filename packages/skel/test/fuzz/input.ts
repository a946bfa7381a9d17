import fc from 'fast-check'

/** Secret text in the fuzzed input. No error message or log line may repeat it. */
export const SECRET = 's3cret-of-the-configuration'

const text = fc.oneof(fc.string({ unit: 'binary', maxLength: 30 }), fc.string({ maxLength: 20 }))
const mostly = <T>(good: fc.Arbitrary<T>, bad: fc.Arbitrary<T>) =>
  fc.oneof({ weight: 15, arbitrary: good }, { weight: 1, arbitrary: bad })
const variable = (...good: string[]) => mostly(fc.constantFrom(...good), fc.option(text, { nil: undefined }))

/** Generates the environment of a CNI call, sometimes with a missing or invalid variable. */
export const environment = fc.record({
  CNI_COMMAND: mostly(
    fc.constantFrom('ADD', 'CHECK', 'DEL', 'DEL', 'GC', 'STATUS', 'VERSION'),
    fc.oneof(text, fc.constantFrom('add', 'ADD ', '', '__proto__', 'constructor')),
  ),
  CNI_CONTAINERID: variable('c1', 'A.b-c_d'),
  CNI_NETNS: variable('/run/netns/pod', '/run/netns/pod', '/run/netns/pod', '/own', '/gone', ''),
  CNI_IFNAME: variable('eth0', 'net1'),
  CNI_ARGS: variable('', 'K8S_POD_NAMESPACE=default;K8S_POD_NAME=web-0', 'IgnoreUnknown=1;IP=x', 'A=b=c;;X'),
  CNI_PATH: variable('/opt/cni/bin', ':/a::'),
  CNI_NETNS_OVERRIDE: fc.option(fc.constantFrom('1', 'true', '0', 'yes'), { nil: undefined, freq: 5 }),
  TRACEPARENT: variable('00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01'),
  TRACESTATE: variable('a=b'),
  BAGGAGE: variable('a=b'),
})

const hostile = fc.constantFrom<unknown>(
  '__proto__',
  -1,
  1e308,
  2 ** 53,
  0.1,
  '',
  null,
  true,
  [],
  {},
  '\u2028<&>\ud800',
)
const json = fc.oneof(hostile, fc.jsonValue({ maxDepth: 3 }))
const version = mostly<unknown>(
  fc.constantFrom('0.1.0', '0.3.1', '0.4.0', '1.0.0', '1.1.0', '1.1.0', '1.1.0'),
  fc.oneof(fc.constantFrom('1.1', '1.2.0', 'x', '0.3.0', ''), json),
)

const route = fc.record(
  { dst: mostly<unknown>(fc.constantFrom('0.0.0.0/0', '::/0', '10.0.0.0/8'), json), gw: json },
  { requiredKeys: ['dst'] },
)
const modern = {
  interfaces: fc.array(
    fc.record({ name: mostly<unknown>(fc.constant('eth0'), json), mac: json }, { requiredKeys: ['name'] }),
  ),
  ips: fc.array(
    fc.record(
      {
        address: mostly<unknown>(fc.constantFrom('10.1.2.3/24', '2001:db8::1/64', '::ffff:9.9.9.9/120'), json),
        version: fc.constantFrom<unknown>('4', '6', '', 4),
        gateway: fc.constantFrom<unknown>('10.1.2.1', '', 'x', null),
        interface: fc.constantFrom<unknown>(0, -1, null, 'x'),
      },
      { requiredKeys: ['address'] },
    ),
  ),
  routes: fc.array(route),
}
const old = {
  ip4: fc.record({ ip: mostly<unknown>(fc.constant('10.1.2.3/24'), json), routes: fc.array(route) }),
  ip6: json,
}
const result = fc.record({ cniVersion: version, ...modern, ...old, dns: json, unknown: json }, { requiredKeys: [] })

/** Generates ADD results as plugins print them, with unknown members. */
const received = fc.constantFrom<unknown>(
  { cniVersion: '0.2.0', ip4: { ip: '10.1.2.3/24', routes: [{ dst: '0.0.0.0/0' }] }, dns: {} },
  {
    cniVersion: '0.4.0',
    interfaces: [{ name: 'eth0' }],
    ips: [{ version: '4', address: '10.1.2.3/24', interface: -1 }],
    x: 1,
  },
  { cniVersion: '1.0.0', ips: [{ address: '2001:db8::1/64' }], routes: [{ dst: '::/0', gw: '2001:db8::2' }] },
  {
    cniVersion: '1.1.0',
    interfaces: [{ name: 'eth0', mtu: 1500 }],
    ips: [{ address: '10.1.2.3/24', interface: 0, y: [2e20] }],
  },
  {},
)

const conf = fc.record(
  {
    name: mostly<unknown>(fc.constantFrom('net', 'a.b'), json),
    cniVersion: version,
    prevResult: mostly<unknown>(fc.oneof(received, result), json),
    port: mostly<unknown>(fc.integer({ min: 1, max: 65_535 }), json),
    fail: mostly<unknown>(fc.constantFrom(false, false, true), json),
    token: fc.constantFrom<unknown>(SECRET, [SECRET], { deep: SECRET }),
    dns: mostly<unknown>(fc.constantFrom(null, {}, { domain: 'example.net' }), json),
    runtimeConfig: mostly<unknown>(fc.constant({}), json),
    'cni.dev/valid-attachments': mostly<unknown>(fc.constantFrom([], [{ containerID: 'c', ifname: 'i' }]), json),
    '': json,
  },
  { requiredKeys: ['name', 'cniVersion', 'port'] },
)

const document = conf.map((value) => Buffer.from(JSON.stringify(value)))

/** Generates a network configuration with bytes removed or inserted. */
const damaged = fc
  .tuple(document, fc.nat(), fc.nat({ max: 20 }), fc.uint8Array({ maxLength: 8 }))
  .map(([bytes, at, cut, piece]) => {
    const start = at % (bytes.length + 1)
    return Buffer.concat([bytes.subarray(0, start), piece, bytes.subarray(start + cut)])
  })

const odd = fc.oneof(
  fc.uint8Array({ maxLength: 200 }),
  fc.json().map((value) => Buffer.from(value)),
  fc
    .constantFrom(
      '',
      '\ufeff{"name":"net"}',
      '['.repeat(50_000),
      '{"a":'.repeat(20_000),
      '{"name":"net","NAME":"x"}',
      '{"__proto__":{"name":"net"}}',
    )
    .map((value) => Buffer.from(value)),
)

/** Generates stdin of a CNI call: usually a network configuration, sometimes with an invalid member. */
export const stdin: fc.Arbitrary<Uint8Array> = fc.oneof(
  { weight: 8, arbitrary: document },
  { weight: 2, arbitrary: damaged },
  { weight: 1, arbitrary: odd },
)
