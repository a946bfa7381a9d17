import { describe, expect, test } from 'vitest'
import { CNI_VERSIONS } from '../versions.ts'
import { convertResult, decodeResult, encodeResult, reencodeResult, resultVersion } from './convert.ts'
import type { Result } from './model.ts'

const one = (address: string): Result => ({ ips: [{ address }] })

describe('decodeResult', () => {
  test.each([
    [{ ips: [{ address: '1.2.3.4' }] }, 'ips[0].address: invalid CIDR address: 1.2.3.4'],
    [{ ips: [{ address: '1.2.3.4/33' }] }, 'ips[0].address: invalid CIDR address: 1.2.3.4/33'],
    [
      { ips: [{ address: '1.2.3.4/3' }, { address: '01.2.3.4/24' }] },
      'ips[1].address: invalid CIDR address: 01.2.3.4/24',
    ],
    [{ ips: [{ address: 'fe80::1%eth0/64' }] }, 'ips[0].address: invalid CIDR address: fe80::1%eth0/64'],
    [{ ips: [{ address: 5 }] }, 'ips[0].address: expected a string, got 5'],
    [{ ips: [{ address: '' }] }, 'ips[0].address: invalid CIDR address: '],
    [{ ips: [{}] }, 'ips[0].address: missing, expected an address with prefix such as 10.1.2.3/24'],
    [{ ips: [{ address: '1.2.3.4/24', gateway: 'x' }] }, 'ips[0].gateway: invalid IP address: x'],
    [{ ips: [{ address: '1.2.3.4/24', interface: 1.5 }] }, 'ips[0].interface: expected an integer, got 1.5'],
    [{ ips: [null] }, 'ips[0]: expected an object, got null'],
    [{ ips: {} }, 'ips: expected an array, got object'],
    [{ interfaces: [null] }, 'interfaces[0]: expected an object, got null'],
    [{ interfaces: [{ mtu: 1500.5 }] }, 'interfaces[0].mtu: expected an integer, got 1500.5'],
    [{ interfaces: [{ mtu: '1500' }] }, 'interfaces[0].mtu: expected an integer, got "1500"'],
    [{ interfaces: [{ name: [] }] }, 'interfaces[0].name: expected a string, got array'],
    [{ routes: [null] }, 'routes[0]: expected an object, got null'],
    [{ routes: [{ gw: '10.0.0.1' }] }, 'routes[0].dst: missing, expected an address with prefix such as 10.1.2.3/24'],
    [{ routes: [{ dst: '0.0.0.0/0', scope: true }] }, 'routes[0].scope: expected an integer, got boolean'],
    [{ dns: [] }, 'dns: expected an object, got array'],
    [{ dns: { nameservers: ['1.1.1.1', 5] } }, 'dns.nameservers[1]: expected a string, got 5'],
    [[], 'result: expected an object, got array'],
    ['x', 'result: expected an object, got "x"'],
    [null, 'result: expected an object, got null'],
    [{ cniVersion: 5 }, 'cniVersion: expected a string, got number'],
  ])('%j is refused: %s', (document, message) => {
    expect(() => decodeResult(document, { version: '1.1.0' })).toThrow(expect.objectContaining({ code: 6, message }))
  })

  test.each([
    [{ ip4: {} }, 'ip4.ip: missing, expected an address with prefix such as 10.1.2.3/24'],
    [{ ip4: { ip: '1.2.3.4/24', routes: [{ dst: '1' }] } }, 'ip4.routes[0].dst: invalid CIDR address: 1'],
    [{ ip6: [] }, 'ip6: expected an object, got array'],
  ])('0.2.0 %j is refused: %s', (document, message) => {
    expect(() => decodeResult(document, { version: '0.2.0' })).toThrow(expect.objectContaining({ code: 6, message }))
  })

  test('decoded values are canonical, and empty members are omitted', () => {
    expect(
      decodeResult({
        cniVersion: '1.1.0',
        interfaces: [{ name: 'eth0', mac: '', mtu: 0, sandbox: '' }],
        ips: [
          { interface: null, address: '2001:DB8:0:0:0:0:0:1/64', gateway: '' },
          { interface: -1, address: '::ffff:9.9.9.9/120', gateway: '::ffff:9.9.9.1' },
        ],
        routes: [{ dst: '10.1.1.1/8', mtu: 0, priority: 2147483648, table: 4294967295, scope: -0 }],
        dns: { nameservers: [], domain: '' },
      }),
    ).toEqual({
      cniVersion: '1.1.0',
      interfaces: [{ name: 'eth0' }],
      ips: [{ address: '2001:db8::1/64' }, { interface: -1, address: '9.9.9.9/24', gateway: '9.9.9.1' }],
      routes: [{ dst: '10.1.1.1/8', priority: 2147483648, table: 4294967295, scope: 0 }],
    })
  })

  test('a member whose name differs only in case is accepted if the exact one is missing', () => {
    expect(decodeResult({ CNIVERSION: '1.0.0', IPS: [{ ADDRESS: '1.2.3.4/24' }] })).toEqual({
      cniVersion: '1.1.0',
      ips: [{ address: '1.2.3.4/24' }],
    })
    expect(decodeResult({ cniVersion: '1.0.0', ips: [{ address: '1.2.3.4/24', Address: 'x' }] }).ips).toEqual([
      { address: '1.2.3.4/24', Address: 'x' },
    ])
  })

  test('unknown members are kept, __proto__ included, and pollute nothing', () => {
    const text =
      '{"cniVersion":"1.1.0","ips":[{"address":"1.2.3.4/24","x":{"__proto__":1}}],"__proto__":{"polluted":1}}'
    const result = decodeResult(JSON.parse(text))
    expect(JSON.stringify(result)).toBe(text)
    expect(result.polluted).toBeUndefined()
    expect(Object.getPrototypeOf(result)).toBe(Object.prototype)
  })

  test('the version is the document’s own, then the given one, then 0.1.0', () => {
    const ip4 = { ip4: { ip: '10.0.0.2/24' } }
    expect(decodeResult(ip4).ips).toEqual([{ address: '10.0.0.2/24' }])
    expect(decodeResult({ cniVersion: '0.2.0', ...ip4 }, { version: '1.1.0' }).ips).toHaveLength(1)
    expect(decodeResult({ cniVersion: '', ips: [] }, { version: '0.4.0' })).toEqual({ cniVersion: '1.1.0' })
    expect(decodeResult(null, { version: '0.2.0' })).toEqual({ cniVersion: '1.1.0' })
    expect(decodeResult(null)).toEqual({ cniVersion: '1.1.0' })
    expect(resultVersion({ cniVersion: '' }, '0.3.1')).toBe('0.3.1')
    expect(resultVersion({})).toBe('0.1.0')
  })

  test.each<[document: Readonly<Record<string, unknown>>, version: string]>([
    [{ ips: [{ address: '10.1.2.3/24' }] }, '1.1.0'],
    [{ interfaces: [{ name: 'eth0', mtu: 1500 }] }, '1.1.0'],
    [{ routes: [{ dst: '10.0.0.0/8', table: 5 }] }, '1.1.0'],
    [{ cniVersion: '', IPs: [{ address: '10.1.2.3/24' }] }, '1.1.0'],
    [{ ips: [{ version: '4', address: '10.1.2.3/24' }], dns: {} }, '0.4.0'],
    [{ ip4: { ip: '10.1.2.3/24' }, dns: {} }, '0.1.0'],
    [{ ips: null, dns: { domain: 'x' } }, '0.1.0'],
  ])('%j without any version has the members of version %s', (document, version) => {
    expect(resultVersion(document)).toBe(version)
    const { cniVersion: _, ...members } = document
    expect(decodeResult(document)).toEqual(decodeResult({ cniVersion: version, ...members }))
    expect(Object.keys(decodeResult(document)).length).toBeGreaterThan(1)
  })

  test('an error names the invalid members, with and without a version', () => {
    expect(() => decodeResult({ ips: 5 })).toThrow('ips: expected an array, got 5')
  })

  test('an unknown version is rejected with code 1', () => {
    const message = 'unsupported CNI result version "9.9.9"'
    expect(() => decodeResult({ cniVersion: '9.9.9' })).toThrow(expect.objectContaining({ code: 1, message }))
    expect(() => decodeResult({}, { version: '9.9.9' })).toThrow(expect.objectContaining({ code: 1, message }))
  })

  test.each([
    ['1.1.0', { cniVersion: '1.0.0' }, undefined],
    ['0.3.1', { cniVersion: '0.4.0' }, undefined],
    ['0.1.0', {}, undefined],
    ['', { cniVersion: '0.2.0' }, undefined],
    ['1.0.0', { cniVersion: '0.4.0' }, 'result type supports [1.0.0 1.1.0] but unmarshalled CNIVersion is "0.4.0"'],
    ['1.0.0', {}, 'result type supports [1.0.0 1.1.0] but unmarshalled CNIVersion is ""'],
    ['0.4.0', {}, 'result type supports [0.3.0 0.3.1 0.4.0] but unmarshalled CNIVersion is ""'],
    ['9.9.9', {}, 'unsupported CNI result version "9.9.9"'],
  ])('strict: as %j the document %j gives %s', (version, document, message) => {
    const decode = () => decodeResult(document, { version, strict: true })
    if (message === undefined) expect(decode).not.toThrow()
    else expect(decode).toThrow(expect.objectContaining({ code: 1, message }))
  })
})

// All members of the 1.1.0 model: both address families with and without an interface, a mapped address, HTML.
const rich: Result = {
  cniVersion: '1.1.0',
  interfaces: [
    {
      name: 'eth0',
      mac: '00:11:22:33:44:55',
      mtu: 1500,
      sandbox: '/run/netns/a&b',
      socketPath: '/run/vhost.sock',
      pciID: '8086:9a01',
    },
  ],
  ips: [
    { interface: 0, address: '10.1.2.3/24', gateway: '10.1.2.1' },
    { interface: 0, address: '2001:db8::5/64', gateway: '2001:db8::1' },
    { address: '10.9.0.2/16' },
    { interface: -1, address: '::ffff:9.9.9.9/120' },
  ],
  routes: [
    { dst: '0.0.0.0/0', gw: '10.1.2.1', mtu: 1400, advmss: 1300, priority: 100, table: 0, scope: 0 },
    { dst: '::/0', gw: '2001:db8::1' },
  ],
  dns: { nameservers: ['10.1.0.1'], domain: 'x<y', search: ['a'], options: ['ndots:2'] },
}

const RICH_1X = `{
    "cniVersion": "VERSION",
    "dns": {
        "domain": "x\\u003cy",
        "nameservers": [
            "10.1.0.1"
        ],
        "options": [
            "ndots:2"
        ],
        "search": [
            "a"
        ]
    },
    "interfaces": [
        {
            "mac": "00:11:22:33:44:55",
            "mtu": 1500,
            "name": "eth0",
            "pciID": "8086:9a01",
            "sandbox": "/run/netns/a\\u0026b",
            "socketPath": "/run/vhost.sock"
        }
    ],
    "ips": [
        {
            "address": "10.1.2.3/24",
            "gateway": "10.1.2.1",
            "interface": 0
        },
        {
            "address": "2001:db8::5/64",
            "gateway": "2001:db8::1",
            "interface": 0
        },
        {
            "address": "10.9.0.2/16"
        },
        {
            "address": "9.9.9.9/24",
            "interface": -1
        }
    ],
    "routes": [
        {
            "advmss": 1300,
            "dst": "0.0.0.0/0",
            "gw": "10.1.2.1",
            "mtu": 1400,
            "priority": 100,
            "scope": 0,
            "table": 0
        },
        {
            "dst": "::/0",
            "gw": "2001:db8::1"
        }
    ]
}`

const DNS_BEFORE_1 = `"dns": {
        "nameservers": [
            "10.1.0.1"
        ],
        "domain": "x\\u003cy",
        "search": [
            "a"
        ],
        "options": [
            "ndots:2"
        ]
    }`

const RICH_03 = `{
    "cniVersion": "VERSION",
    "interfaces": [
        {
            "name": "eth0",
            "mac": "00:11:22:33:44:55",
            "sandbox": "/run/netns/a\\u0026b"
        }
    ],
    "ips": [
        {
            "version": "4",
            "interface": 0,
            "address": "10.1.2.3/24",
            "gateway": "10.1.2.1"
        },
        {
            "version": "6",
            "interface": 0,
            "address": "2001:db8::5/64",
            "gateway": "2001:db8::1"
        },
        {
            "version": "4",
            "address": "10.9.0.2/16"
        },
        {
            "version": "4",
            "interface": -1,
            "address": "9.9.9.9/24"
        }
    ],
    "routes": [
        {
            "dst": "0.0.0.0/0",
            "gw": "10.1.2.1",
            "mtu": 1400,
            "advmss": 1300,
            "priority": 100,
            "table": 0,
            "scope": 0
        },
        {
            "dst": "::/0",
            "gw": "2001:db8::1"
        }
    ],
    ${DNS_BEFORE_1}
}`

const RICH_01 = `{
    "cniVersion": "VERSION",
    "ip4": {
        "ip": "10.1.2.3/24",
        "gateway": "10.1.2.1",
        "routes": [
            {
                "dst": "0.0.0.0/0",
                "gw": "10.1.2.1"
            }
        ]
    },
    "ip6": {
        "ip": "2001:db8::5/64",
        "gateway": "2001:db8::1",
        "routes": [
            {
                "dst": "::/0",
                "gw": "2001:db8::1"
            }
        ]
    },
    ${DNS_BEFORE_1}
}`

describe('encodeResult', () => {
  test.each([
    ['1.1.0', RICH_1X],
    ['1.0.0', RICH_1X],
    ['0.4.0', RICH_03],
    ['0.3.1', RICH_03],
    ['0.3.0', RICH_03],
    ['0.2.0', RICH_01],
    ['0.1.0', RICH_01],
  ])('a result with all members has the bytes of the reference implementation in %s', (version, golden) => {
    expect(encodeResult(rich, version)).toBe(golden.replace('VERSION', version))
  })

  test('no version means 0.1.0', () => {
    expect(encodeResult(rich, '')).toBe(RICH_01.replace('VERSION', '0.1.0'))
  })

  test('an empty result is printed from 0.3.0 on', () => {
    expect(encodeResult({}, '1.1.0')).toBe('{\n    "cniVersion": "1.1.0"\n}')
    expect(encodeResult({}, '0.4.0')).toBe('{\n    "cniVersion": "0.4.0",\n    "dns": {}\n}')
    for (const version of ['', '0.1.0', '0.2.0']) {
      expect(() => encodeResult({}, version)).toThrow(
        expect.objectContaining({ code: 999, message: 'cannot convert: no valid IP addresses' }),
      )
    }
  })

  test('an unknown version is rejected with code 999', () => {
    const message = 'no converter for CNI result version 1.1.0 to 9.9.9'
    expect(() => encodeResult(rich, '9.9.9')).toThrow(expect.objectContaining({ code: 999, message }))
    expect(() => reencodeResult({}, '9.9.9', '9.9.9')).toThrow(expect.objectContaining({ code: 999 }))
  })

  test('an invalid result is rejected with code 999, and the error names the member', () => {
    const message = 'cannot print the result: ips[0].address: invalid CIDR address: 10.0.0.1'
    expect(() => encodeResult(one('10.0.0.1'), '1.1.0')).toThrow(expect.objectContaining({ code: 999, message }))
    expect(() => encodeResult(one('10.0.0.1'), '0.2.0')).toThrow(expect.objectContaining({ code: 999, message }))
    // @ts-expect-error what a plugin written in JavaScript may return
    expect(() => encodeResult(undefined, '1.1.0')).toThrow('cannot print the result: result: expected an object')
  })

  test('a document of version 0.2.0 is rejected, because its addresses would be lost', () => {
    const document = { cniVersion: '0.2.0', ip4: { ip: '10.0.0.2/24' } }
    expect(() => encodeResult(document, '1.1.0')).toThrow('it is a 0.2.0 document, not the 1.1.0 model')
    expect(encodeResult(decodeResult(document), '1.1.0')).toContain('10.0.0.2/24')
  })

  test('the requested version replaces the version member of the model', () => {
    expect(encodeResult({ ...one('10.0.0.2/24'), cniVersion: '0.4.0' }, '0.2.0')).toContain('"cniVersion": "0.2.0"')
  })

  test('unknown members are printed at every level', () => {
    const result = { ...one('1.2.3.4/24'), z: { b: 1, a: 2 }, dns: { x: 1 } }
    expect(encodeResult({ ...result, interfaces: [{ name: '', y: [] }] }, '1.1.0')).toBe(
      JSON.stringify(
        {
          cniVersion: '1.1.0',
          dns: { x: 1 },
          interfaces: [{ name: '', y: [] }],
          ips: [{ address: '1.2.3.4/24' }],
          z: { a: 2, b: 1 },
        },
        null,
        4,
      ),
    )
    expect(encodeResult(result, '0.2.0')).toBe(
      JSON.stringify({ cniVersion: '0.2.0', ip4: { ip: '1.2.3.4/24' }, dns: { x: 1 }, z: { b: 1, a: 2 } }, null, 4),
    )
  })
})

describe('convertResult', () => {
  test('converting to the same version returns the same document', () => {
    for (const version of [...CNI_VERSIONS, '9.9.9']) {
      const document = { whatever: true }
      expect(convertResult(document, version, version)).toBe(document)
    }
    const oldest = {}
    expect(convertResult(oldest, '', '0.1.0')).toBe(oldest)
  })

  test('a document whose version has another shape is rejected', () => {
    const message = 'cniVersion: expected a result of version 0.2.0, got "1.0.0"'
    const document = { cniVersion: '1.0.0', ips: [{ address: '10.1.2.3/24' }] }
    expect(() => convertResult(document, '0.2.0', '1.1.0')).toThrow(expect.objectContaining({ code: 6, message }))
    expect(() => reencodeResult(document, '0.2.0', '0.1.0')).toThrow(expect.objectContaining({ code: 6, message }))
    expect(convertResult(document, '1.1.0', '0.4.0')).toMatchObject({ ips: [{ version: '4', address: '10.1.2.3/24' }] })
  })

  test('an unknown version is rejected', () => {
    expect(() => convertResult({}, '1.1.0', '2.0.0')).toThrow('no converter for CNI result version 1.1.0 to 2.0.0')
    expect(() => convertResult({}, '2.0.0', '1.1.0')).toThrow('no converter for CNI result version 2.0.0 to 1.1.0')
  })

  const routed = {
    cniVersion: '0.2.0',
    ip4: { ip: '10.0.0.2/24', gateway: '10.0.0.1', routes: [{ dst: '0.0.0.0/0', mtu: 1400 }], extra: 1 },
    ip6: { ip: '2001:db8::2/64', routes: [{ dst: '::/0', gw: '2001:db8::1' }] },
    dns: { domain: 'd' },
    note: 'kept',
  }

  test('from 0.2.0 to 0.4.0: routes keep all members, and a missing gateway stays missing', () => {
    expect(convertResult(routed, '0.2.0', '0.4.0')).toEqual({
      cniVersion: '0.4.0',
      ips: [
        { version: '4', address: '10.0.0.2/24', gateway: '10.0.0.1', extra: 1 },
        { version: '6', address: '2001:db8::2/64' },
      ],
      routes: [
        { dst: '0.0.0.0/0', mtu: 1400 },
        { dst: '::/0', gw: '2001:db8::1' },
      ],
      dns: { domain: 'd' },
      note: 'kept',
    })
    expect(convertResult({}, '0.2.0', '1.1.0')).toEqual({ cniVersion: '1.1.0' })
    expect(convertResult({}, '0.2.0', '0.3.1')).toEqual({ cniVersion: '0.3.1', dns: {} })
    expect(convertResult(routed, '0.1.0', '0.2.0')).toEqual(routed)
  })

  test('from 0.4.0 to 0.2.0: the version member decides, not the address', () => {
    const ips = [
      { version: '6', address: '1.2.3.4/24', interface: 0 },
      { address: '10.0.0.2/24' },
      { version: '6', address: '2001:db8::2/64' },
    ]
    expect(convertResult({ ips }, '0.4.0', '0.2.0')).toEqual({
      cniVersion: '0.2.0',
      ip6: { ip: '1.2.3.4/24' },
      dns: {},
    })
  })

  test('from 0.3.1, addresses without a version convert to 1.0.0 but not to 0.2.0', () => {
    const document = { ips: [{ address: '10.0.0.2/24' }] }
    expect(() => convertResult(document, '0.3.1', '0.2.0')).toThrow('cannot convert: no valid IP addresses')
    expect(convertResult(document, '0.3.1', '1.0.0')).toEqual({ cniVersion: '1.0.0', ...document })
  })

  test('from 0.4.0 to 0.2.0: routes keep only dst and gw, and routes of an absent family are dropped', () => {
    const document = {
      interfaces: [{ name: 'eth0' }],
      ips: [{ version: '4', address: '10.0.0.2/24' }],
      routes: [{ dst: '::/0' }, { dst: '10.0.0.0/8', gw: '10.0.0.1', mtu: 1400, table: 0 }],
    }
    expect(convertResult(document, '0.4.0', '0.1.0')).toEqual({
      cniVersion: '0.1.0',
      ip4: { ip: '10.0.0.2/24', routes: [{ dst: '10.0.0.0/8', gw: '10.0.0.1' }] },
      dns: {},
    })
  })

  test('between 1.0.0 and 1.1.0 only the version changes', () => {
    expect(convertResult({ ...rich, ips: [] }, '1.1.0', '1.0.0')).toEqual({
      ...(convertResult({ ...rich, cniVersion: '1.0.0', ips: [] }, '1.0.0', '1.1.0') as object),
      cniVersion: '1.0.0',
    })
  })

  test('a conversion across 1.0.0 drops members that have another meaning in the target version', () => {
    const old = {
      interfaces: [{ name: 'a', mtu: 'not a number', x: 1 }],
      ips: [{ version: '4', address: '1.2.3.4/8' }],
    }
    expect(convertResult(old, '0.4.0', '1.1.0')).toEqual({
      cniVersion: '1.1.0',
      interfaces: [{ name: 'a', x: 1 }],
      ips: [{ address: '1.2.3.4/8' }],
    })
    expect(convertResult({ ip4: { ip: '1.2.3.4/8' }, ips: 'x', interfaces: 5, routes: {} }, '0.2.0', '1.1.0')).toEqual({
      cniVersion: '1.1.0',
      ips: [{ address: '1.2.3.4/8' }],
    })
    expect(convertResult({ ips: [{ address: '1.2.3.4/8' }], ip6: 'x' }, '1.1.0', '0.2.0')).toEqual({
      cniVersion: '0.2.0',
      ip4: { ip: '1.2.3.4/8' },
      dns: {},
    })
    const both = { ip: '1.2.3.4/8', version: 9, address: 'x', interface: 'x', kept: 1 }
    expect(convertResult({ ip4: both }, '0.2.0', '0.4.0')).toMatchObject({
      ips: [{ version: '4', address: '1.2.3.4/8', kept: 1 }],
    })
    const other = { version: '4', address: '1.2.3.4/8', ip: 'x', routes: 'x', kept: 1 }
    expect(convertResult({ ips: [other] }, '0.4.0', '0.2.0')).toMatchObject({ ip4: { ip: '1.2.3.4/8', kept: 1 } })
    expect(convertResult({ ips: [other] }, '0.4.0', '0.2.0')).not.toHaveProperty('ip4.routes')
    expect(convertResult({ ips: [{ address: '1.2.3.4/8', version: 9 }] }, '1.1.0', '0.3.1')).toMatchObject({
      ips: [{ version: '4', address: '1.2.3.4/8' }],
    })
  })

  test('reencodeResult prints a received document in another version', () => {
    expect(
      reencodeResult({ cniVersion: '0.4.0', ips: [{ version: '4', address: '1.2.3.4/8' }] }, '0.4.0', '0.3.1'),
    ).toBe(
      '{\n    "cniVersion": "0.3.1",\n    "ips": [\n        {\n            "version": "4",\n            "address": "1.2.3.4/8"\n        }\n    ],\n    "dns": {}\n}',
    )
    expect(() => reencodeResult({ ips: [{}] }, '0.4.0', '0.4.0')).toThrow(/^ips\[0\]\.address: missing/)
  })
})
