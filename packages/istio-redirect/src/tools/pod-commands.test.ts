import { describe, expect, test } from 'vitest'
import { tools } from '../../test/tools/tools-io.ts'

const web = `apiVersion: v1
kind: Pod
metadata:
  name: web
  namespace: demo
  annotations:
    sidecar.istio.io/status: "true"
    traffic.sidecar.istio.io/excludeOutboundPorts: "5432"
spec:
  containers:
    - name: app
    - name: istio-proxy
      args: [proxy, sidecar]
`
const api = web.replace('name: web', 'name: api')
const plain = web.replace('istio-proxy', 'other').replace('name: web', 'name: plain')
const files = {
  'web.yaml': web,
  'two.yaml': `${web}---\n${api}`,
  'list.json': JSON.stringify({
    kind: 'List',
    items: [{ kind: 'Service' }, { kind: 'Pod', metadata: { name: 'p' }, spec: { containers: [] } }],
  }),
  'plain.yaml': plain,
  'deploy.yaml': 'kind: Deployment\nspec: {template: {}}\n',
  'broken.yaml': 'a: [',
  'nulls.yaml': plain
    .replace('namespace: demo', 'namespace:')
    .replace(/ {2}annotations:[\s\S]*?spec:/, '  labels:\n  annotations:\nspec:\n  hostNetwork:'),
  'annotation.yaml': web.replace('"5432"', '"x"'),
  'number.yaml': web.replace('"5432"', '5432'),
  'netconf.json': JSON.stringify({
    name: 'n',
    plugins: [{ type: 'bridge' }, { type: 'istio-cni', exclude_namespaces: ['demo'] }],
  }),
  'dual.yaml': `${web}      env: [{name: ISTIO_DUAL_STACK, value: "true"}]\n`,
  'vars.yaml': 'ISTIO_INBOUND_PORTS: "*"\nISTIO_SERVICE_CIDR: "*"\nPROXY_UID: 7\n',
  'typo.yaml': 'ISTIO_INBOUND_PORT: "*"\n',
}

describe('istio-redirect rules', () => {
  test('prints only the input of iptables-restore', async () => {
    const { exitCode, stdout, stderr } = await tools(['rules', '--pod', 'web.yaml'], { files })
    expect([exitCode, stderr]).toEqual([0, ''])
    expect(stdout).toMatch(/^\* nat\n-N ISTIO_INBOUND\n[\s\S]*--dport 5432 -j RETURN\n[\s\S]*COMMIT\n$/)
  })

  test('with --native-nftables prints the output of nft list, as text, data or a chart', async () => {
    const native = (...argv: string[]) =>
      tools(['rules', '--pod', 'dual.yaml', '--native-nftables', ...argv], { files })
    const text = await native()
    expect([text.exitCode, text.stderr]).toEqual([0, ''])
    expect(text.stdout).toMatch(
      /^table inet istio-proxy-nat \{\n\tchain prerouting \{\n\t\ttype nat hook prerouting priority dstnat; policy accept;\n/,
    )
    expect(text.stdout).toContain('\n\t\ttcp dport 5432 counter packets 0 bytes 0 return\n')
    expect(text.stdout).toContain('\n\t\toifname "lo" ip6 saddr ::6 counter packets 0 bytes 0 return\n')
    expect(JSON.parse((await native('--format', 'json')).stdout)).toMatchObject({
      pod: 'demo/web',
      rules: { tables: [{ family: 'inet', name: 'istio-proxy-nat' }] },
    })
    const { stdout: chart, stderr } = await native('--format', 'mermaid')
    expect(stderr).toBe('')
    expect(chart).toContain('inet_istio-proxy-nat_output --> inet_istio-proxy-nat_istio-output')
    expect(await native('--family', 'ipv6')).toMatchObject({ exitCode: 2, stderr: expect.stringContaining('--family') })
  })

  test('prints IPv6 rules with --family, and mentions them without it', async () => {
    const ipv4 = await tools(['rules', '--pod', 'dual.yaml'], { files })
    expect(ipv4.stderr).toContain('--family ipv6')
    const ipv6 = await tools(['rules', '--pod', 'dual.yaml', '--family', 'ipv6'], { files })
    expect([ipv6.stdout.includes('::6/128'), ipv6.stdout.includes('127.0.0.6')]).toEqual([true, false])
    const both = await tools(['rules', '--pod', 'dual.yaml', '--family=both'], { files })
    expect(both.stdout).toContain('# ip6tables-restore --noflush\n')
  })

  test('treats a null member as absent, as Kubernetes does', async () => {
    const { exitCode, stdout, stderr } = await tools(['rules', '--pod', 'nulls.yaml'], { files })
    expect({ exitCode, stdout, stderr }).toEqual({
      exitCode: 3,
      stdout: '',
      stderr: expect.stringContaining('does not have istio-proxy container'),
    })
  })

  test('prints the rules as data and as a chart', async () => {
    const json = await tools(['rules', '--pod', 'web.yaml', '--format', 'json'], { files })
    expect(JSON.parse(json.stdout)).toMatchObject({ pod: 'demo/web', config: { proxyPort: 15001 } })
    const chart = await tools(['rules', '--pod', 'web.yaml', '--format', 'mermaid'], { files })
    expect(chart.stdout).toContain('ipv4_nat_OUTPUT --> ipv4_nat_ISTIO_OUTPUT')
  })

  test.each([
    [['--pod', 'plain.yaml'], 'does not have istio-proxy container (have [app other])'],
    [['--pod', 'web.yaml', '--netconf', 'netconf.json'], 'pod namespace demo excluded'],
  ])('%j: returns exit code 3 and the reason for a pod that the plugin skips', async (argv, reason) => {
    const { exitCode, stdout, stderr } = await tools(['rules', ...argv], { files })
    expect([exitCode, stdout]).toEqual([3, ''])
    expect(stderr).toContain(reason)
  })

  test('selects one of several pods by name', async () => {
    const all = await tools(['rules', '--pod', 'two.yaml'], { files })
    expect([all.exitCode, all.stderr]).toEqual([
      1,
      expect.stringContaining('choose one with --name: demo/web, demo/api'),
    ])
    expect(await tools(['rules', '--pod', 'two.yaml', '--name', 'demo/api'], { files })).toMatchObject({ exitCode: 0 })
    const list = await tools(['rules', '--pod', 'list.json'], { files })
    expect([list.exitCode, list.stderr]).toEqual([3, expect.stringContaining('default/p gets no rules')])
  })

  test.each([
    ['nope.yaml', 'nope.yaml cannot be read: ENOENT'],
    ['broken.yaml', 'broken.yaml: '],
    ['deploy.yaml', 'deploy.yaml: "Deployment" is not a pod'],
    ['annotation.yaml', 'annotation traffic.sidecar.istio.io/excludeOutboundPorts of pod demo/web is "x"'],
    ['number.yaml', 'metadata.annotations.traffic.sidecar.istio.io/excludeOutboundPorts has the wrong type'],
  ])('returns exit code 1 for the invalid file %s', async (file, message) => {
    const { exitCode, stdout, stderr } = await tools(['rules', '--pod', file], { files })
    expect([exitCode, stdout]).toEqual([1, ''])
    expect(stderr).toContain(message)
  })

  test('accepts variables instead of a pod', async () => {
    const { exitCode, stdout } = await tools(['rules', '--config', 'vars.yaml'], { files })
    expect(exitCode).toBe(0)
    expect(stdout).toContain('--uid-owner 7 -j RETURN')
    const typo = await tools(['rules', '--config', 'typo.yaml'], { files })
    expect([typo.exitCode, typo.stderr]).toEqual([1, expect.stringContaining('"ISTIO_INBOUND_PORT" is not a variable')])
  })
})

describe('istio-redirect trace', () => {
  const trace = (packet: string, ...more: string[]) =>
    tools(['trace', '--pod', 'web.yaml', '--packet', packet, ...more], { files })

  test.each([
    ['tcp 10.0.0.5:80 uid 1000', 'ACCEPT to 127.0.0.1:15001'],
    ['tcp [2001:db8::1]:80 uid 1000', 'ACCEPT'],
    ['tcp 10.0.0.5:80 uid 1337', 'ACCEPT'],
    ['tcp 10.0.0.5:5432 uid 1000', 'ACCEPT'],
    ['tcp 127.0.0.1:80 uid 1000', 'ACCEPT'],
    ['tcp 10.1.2.3:80 from 10.9.9.9:4000 in eth0', 'ACCEPT to ?:15006'],
  ])('%s: prints where the packet ends', async (packet, ending) => {
    const { exitCode, stdout } = await trace(packet)
    expect([exitCode, stdout.trimEnd().split('\n').at(-1)]).toEqual([0, ending])
  })

  test.each([
    ['tcp 10.0.0.5:80 uid 1000', 'accept to 127.0.0.1:15001'],
    ['tcp 10.0.0.5:80 uid 1337', 'accept'],
    ['tcp 10.0.0.5:5432 uid 1000', 'accept'],
    ['tcp 10.1.2.3:80 from 10.9.9.9:4000 in eth0', 'accept to ?:15006'],
  ])('%s: prints the same for native rules', async (packet, ending) => {
    const { exitCode, stdout } = await trace(packet, '--native-nftables')
    expect([exitCode, stdout.trimEnd().split('\n').at(-1)]).toEqual([0, ending])
    expect(JSON.parse((await trace(packet, '--native-nftables', '--json')).stdout)).toMatchObject({ verdict: 'accept' })
  })

  test('accepts the output of nft list, for native rules', async () => {
    const { stdout: listed } = await tools(['rules', '--pod', 'web.yaml', '--native-nftables'], { files })
    const packet = 'tcp 10.0.0.5:80 uid 1000'
    const argv = ['trace', '--native-nftables', '--from', 'listed', '--packet', packet]
    const { exitCode, stdout } = await tools(argv, { files: { listed } })
    expect([exitCode, stdout]).toEqual([0, (await trace(packet, '--native-nftables')).stdout])
    expect(await tools(argv, { files: { listed: '*nat' } })).toMatchObject({
      exitCode: 1,
      stderr: expect.stringContaining('line 1: expected "table", found "*nat"'),
    })
  })

  test('returns exit code 5 for an undecided packet, and 4 for a dropped one', async () => {
    expect(await trace('tcp 10.0.0.5:80')).toMatchObject({ exitCode: 5, stdout: expect.stringContaining('undecided') })
    const saved = { save: '*filter\n:OUTPUT ACCEPT [0:0]\n-A OUTPUT -j DROP\nCOMMIT\n' }
    expect(await tools(['trace', '--from', 'save', '--packet', 'tcp 10.0.0.5:80'], { files: saved })).toMatchObject({
      exitCode: 4,
    })
  })

  test('prints the path as data and as a chart', async () => {
    expect(JSON.parse((await trace('tcp 10.0.0.5:80 uid 1', '--json')).stdout)).toMatchObject({ rewritten: 'REDIRECT' })
    expect((await trace('tcp 10.0.0.5:80 uid 1', '--mermaid')).stdout).toMatch(/^flowchart TD/)
    const { stdout: native } = await trace('tcp 10.0.0.5:80 uid 1', '--mermaid', '--native-nftables')
    expect(native).toMatch(/^flowchart TD[\s\S]*subgraph h0\["output: inet istio-proxy-nat"\]/)
  })
})

test.each([
  [[], 'a command is missing'],
  [['nope'], 'unknown command "nope"'],
  [['rules'], 'expected --pod FILE or --config FILE'],
  [['rules', '--pod', 'a', '--format', 'x'], 'expected restore or json or mermaid'],
  [['trace', '--pod', 'a'], 'expected --packet'],
  [['trace', '--pod', 'a', '--from', 'b', '--packet', 'x'], 'expected one of --pod FILE, --from FILE and --netns PATH'],
  [['check', '--pod', 'a'], 'expected --pod FILE and --netns PATH'],
])('%j is a usage error with exit code 2', async (argv, message) => {
  const { exitCode, stdout, stderr } = await tools(argv)
  expect([exitCode, stdout]).toEqual([2, ''])
  expect(stderr).toContain(message)
  expect(stderr).toContain('Try: istio-redirect')
})

test.each([['rules'], ['trace'], ['check'], ['iptables']])(
  '%s has a help text, and the program prints its version',
  async (name) => {
    expect(await tools([name, '--help'])).toMatchObject({ exitCode: 0, stdout: expect.stringContaining('Exit codes:') })
    expect((await tools(['--help'])).stdout).toContain(name)
    expect((await tools(['--version'])).stdout).toMatch(/^istio-redirect/)
  },
)
