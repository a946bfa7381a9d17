import { execFileSync } from 'node:child_process'
import { readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { netns } from '@cni/netns'
import { tempNetns } from '@cni/netns/testing'
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { meshPod } from '../../src/testing/pods.ts'
import { type Fixture, fixture, prevResult } from './fixture.ts'

let node: Fixture
beforeEach(async () => {
  node = await fixture(meshPod({ proxy: { env: [{ name: 'ISTIO_DUAL_STACK', value: '1' }] } }))
})
afterEach(() => node[Symbol.asyncDispose]())

const both = { conf: { prevResult: prevResult('10.1.2.3/24', 'fd00::5/64') } }
const stateFile = () => {
  const folder = join(node.runDir, 'attachments')
  return join(folder, readdirSync(folder)[0] ?? '')
}

test('ADD, ADD, DEL leaves no empty table, also with another configuration and a foreign rule in between', async () => {
  await node.call('ADD')
  await node.call('ADD')
  await node.call('DEL')
  expect(await node.inside('nft', 'list', 'ruleset')).toBe('')
  const other = await fixture(meshPod({ annotations: { 'traffic.sidecar.istio.io/includeInboundPorts': '8080' } }))
  try {
    await other.call('ADD')
    other.api.setPod(meshPod({ annotations: { 'traffic.sidecar.istio.io/includeInboundPorts': '9090' } }))
    await other.inside('iptables', '-t', 'nat', '-N', 'MINE')
    await other.call('ADD')
    await other.inside('iptables', '-t', 'nat', '-X', 'MINE')
    await other.call('DEL')
    expect(await other.inside('nft', 'list', 'ruleset')).toBe('')
  } finally {
    await other[Symbol.asyncDispose]()
  }
})

test('ADD, ADD, DEL keeps an empty table that existed before', async () => {
  await node.inside('nft', 'add table ip nat; add chain ip nat OUTPUT { type nat hook output priority -100; }')
  const before = await node.inside('nft', 'list', 'tables')
  await node.call('ADD')
  await node.call('ADD')
  await node.call('DEL')
  expect(await node.inside('nft', 'list', 'tables')).toContain(before)
})

describe('CHECK', () => {
  beforeEach(async () => {
    await node.call('ADD', both)
  })

  test('passes without output and without a request', async () => {
    await node.api.close()
    rmSync(join(node.runDir, 'istio-cni-kubeconfig'))
    expect(await node.call('CHECK', both)).toMatchObject({ exitCode: 0, stdout: '' })
  })

  test('ignores foreign rules', async () => {
    await node.inside('iptables', '-t', 'nat', '-A', 'OUTPUT', '-p', 'tcp', '--dport', '123', '-j', 'ACCEPT')
    expect(await node.call('CHECK', both)).toMatchObject({ exitCode: 0 })
  })

  test.each([
    [
      'a rule that is gone',
      ['iptables', '-t', 'nat', '-D', 'OUTPUT', '-j', 'ISTIO_OUTPUT'],
      'missing ipv4 nat: -A OUTPUT -j ISTIO_OUTPUT',
    ],
    [
      'an IPv6 rule that is gone',
      ['ip6tables', '-t', 'nat', '-F', 'ISTIO_REDIRECT'],
      'missing ipv6 nat: -A ISTIO_REDIRECT',
    ],
    [
      'a rule too many',
      ['iptables', '-t', 'nat', '-I', 'ISTIO_OUTPUT', '1', '-j', 'RETURN'],
      'ipv4 nat: -A ISTIO_OUTPUT',
    ],
    ['a missing address', ['ip', '-6', 'addr', 'del', '::6/128', 'dev', 'lo'], '::6/128'],
  ] as const)('reports %s', async (_, tamper, difference) => {
    const [program, ...args] = tamper
    await node.inside(program, ...args)
    expect(await node.call('CHECK', both)).toMatchObject({
      exitCode: 1,
      document: { code: 100, details: expect.stringContaining(difference) },
    })
    expect(await node.call('CHECK', { conf: { ...both.conf, check_mode: 'none' } })).toMatchObject({ exitCode: 0 })
  })

  test('reads the rules only if nf_tables has changed since they were written', async () => {
    // The record now names other rules than the kernel has: CHECK fails as soon as it reads the rules.
    writeFileSync(stateFile(), readFileSync(stateFile(), 'utf8').replace('"proxyPort":15001', '"proxyPort":15002'))
    expect(await node.call('CHECK', both)).toMatchObject({ exitCode: 0 })
    await node.inside('nft', 'add', 'table', 'inet', 'others')
    expect(await node.call('CHECK', both)).toMatchObject({ document: { code: 100 } })
  })

  test('finds changes after a repeated ADD, which keeps the record unchanged', async () => {
    const record = readFileSync(stateFile(), 'utf8')
    await node.call('ADD', both)
    expect(readFileSync(stateFile(), 'utf8')).toBe(record)
    await node.inside('iptables', '-t', 'nat', '-D', 'OUTPUT', '-j', 'ISTIO_OUTPUT')
    expect(await node.call('CHECK', both)).toMatchObject({ document: { code: 100 } })
  })

  test('reports another namespace under the same name', async () => {
    await using other = await tempNetns()
    expect(await node.call('CHECK', { ...both, env: { CNI_NETNS: other.path } })).toMatchObject({
      exitCode: 1,
      document: { code: 100, details: expect.stringContaining(`got ${other.dev}:${other.ino}`) },
    })
  })

  test('reports a state that cannot be read', async () => {
    writeFileSync(stateFile(), '{"v":1')
    expect(await node.call('CHECK', both)).toMatchObject({
      exitCode: 1,
      document: { code: 6, msg: expect.stringContaining(stateFile()) },
    })
  })

  test.each([
    ['of a container nobody recorded', { env: { CNI_CONTAINERID: 'other' } }],
    ['without a run directory', { conf: { ...both.conf, cni_agent_run_dir: '' } }],
  ])('passes %s, and reports that nothing was checked', async (_, options) => {
    const outcome = await node.call('CHECK', { ...both, ...options })
    expect(outcome).toMatchObject({ exitCode: 0, stdout: '' })
    expect(outcome.log.map(({ msg }) => msg)).toContainEqual(expect.stringContaining('nothing to check'))
  })
})

describe('DEL', () => {
  const foreign = '-A OUTPUT -p udp -m udp --dport 123 -j ACCEPT'
  beforeEach(async () => {
    await node.inside('iptables', '-t', 'nat', '-A', 'OUTPUT', '-p', 'udp', '--dport', '123', '-j', 'ACCEPT')
    await node.call('ADD', both)
  })
  const everything = async () => `${await node.rules()}${await node.inside('ip', 'addr')}`
  const expectClean = async () => {
    const rules = await node.rules()
    expect(rules).not.toContain('ISTIO')
    expect(rules).toContain(foreign)
  }

  test('removes its own rules, addresses and record, and needs no API server', async () => {
    await node.api.close()
    expect(await node.call('DEL', both)).toMatchObject({ exitCode: 0, stdout: '' })
    await expectClean()
    expect(await node.inside('ip', '-6', 'addr', 'show', 'dev', 'lo')).not.toContain('::6/128')
    expect(node.state()).toEqual([])
  })

  test('can be repeated', async () => {
    for (let n = 0; n < 3; n += 1) expect(await node.call('DEL', both)).toMatchObject({ exitCode: 0, stdout: '' })
    await expectClean()
  })

  test('works after an ADD that was killed half way', async () => {
    await node.inside('iptables', '-t', 'nat', '-F', 'ISTIO_OUTPUT')
    const [state] = node.state()
    writeFileSync(stateFile(), JSON.stringify({ ...state, applied: false, backend: null }))
    expect(await node.call('DEL', both)).toMatchObject({ exitCode: 0 })
    await expectClean()
    expect(node.state()).toEqual([])
  })

  test.each([
    ['a state', () => rmSync(join(node.runDir, 'attachments'), { recursive: true })],
    ['a readable state', () => writeFileSync(stateFile(), 'nonsense')],
    ['a run directory', () => rmSync(node.runDir, { recursive: true })],
  ])(
    'without %s removes nothing and logs the reason: rules and addresses may belong to another attachment',
    async (_, lose) => {
      const there = await everything()
      lose()
      const { exitCode, stdout, log } = await node.call('DEL', both)
      expect({ exitCode, stdout }).toEqual({ exitCode: 0, stdout: '' })
      expect(await everything()).toBe(there)
      expect(log).toContainEqual(
        expect.objectContaining({ level: 'info', reason: 'no ADD of this attachment is recorded' }),
      )
      expect(node.state()).toEqual([])
    },
  )

  test('removes nothing if the configuration asks for no state or is broken, as the owner of rules is unknown', async () => {
    const there = await everything()
    for (const conf of [{ cni_agent_run_dir: '' }, { exclude_namespaces: 'all', check_mode: 7 }]) {
      expect(await node.call('DEL', { conf })).toMatchObject({ exitCode: 0, stdout: '' })
    }
    expect(await everything()).toBe(there)
    expect(node.state()).toHaveLength(1)
  })

  test('for an attachment that was never added changes nothing', async () => {
    const there = await everything()
    for (const env of [{ CNI_IFNAME: 'net1' }, { CNI_CONTAINERID: 'another' }]) {
      expect(await node.call('DEL', { ...both, env })).toMatchObject({ exitCode: 0, stdout: '' })
    }
    expect(await everything()).toBe(there)
    expect(await node.call('CHECK', both)).toMatchObject({ exitCode: 0 })
  })

  test.each<[string, Record<string, unknown>]>([
    ['an interface that is none', { rules: { excludeInterfaces: ['eth0\n-A OUTPUT -j DROP'] } }],
    ['no family', { families: [] }],
  ])('removes the rules that it finds if the record is invalid: %s', async (_, { rules, ...more }) => {
    const [state] = node.state()
    const said = { ...state, ...more, rules: { ...Object(state?.rules), ...Object(rules) } }
    writeFileSync(stateFile(), JSON.stringify(said))
    expect(await node.call('DEL', both)).toMatchObject({ exitCode: 0, stdout: '' })
    await expectClean()
    expect(await node.inside('ip', '-6', 'addr', 'show', 'dev', 'lo')).not.toContain('::6/128')
    expect(node.state()).toEqual([])
  })

  test.each([
    ['without a namespace', { env: { CNI_NETNS: '' } }],
    ['with a namespace that is gone', { env: { CNI_NETNS: '/run/netns/no-such' } }],
    ['without a previous result', { conf: { prevResult: undefined } }],
    ['with the namespace of the node', { env: { CNI_NETNS: '/proc/self/ns/net' } }],
  ])('succeeds and removes the record of %s', async (_, options) => {
    expect(await node.call('DEL', options)).toMatchObject({ exitCode: 0, stdout: '' })
    expect(node.state()).toEqual([])
  })

  test('succeeds on a node without iptables', async () => {
    vi.stubEnv('PATH', '/nonexistent')
    expect(await node.call('DEL', both)).toMatchObject({ exitCode: 0, stdout: '' })
  })
})

describe.each(['iptables', 'native'])('DEL of a pod with two networks, %s rules', (kind) => {
  const conf = { ...both.conf, native_nftables: kind === 'native' }
  const eth0 = { conf }
  const net1 = { conf: { ...conf, name: 'second' }, env: { CNI_IFNAME: 'net1' } }
  const ruleset = () => node.inside('nft', 'list', 'ruleset')

  test.each([
    ['the second one first', net1, eth0],
    ['the first one first', eth0, net1],
  ])('%s: the last DEL removes the rules', async (_, first, last) => {
    for (const attachment of [eth0, net1]) expect(await node.call('ADD', attachment)).toMatchObject({ exitCode: 0 })
    const there = await ruleset()
    expect(await node.call('DEL', first)).toMatchObject({ exitCode: 0, stdout: '' })
    expect(await ruleset()).toBe(there)
    expect(await node.inside('ip', '-6', 'addr', 'show', 'dev', 'lo')).toContain('::6/128')
    expect(await node.call('CHECK', last)).toMatchObject({ exitCode: 0 })
    expect(await node.call('DEL', last)).toMatchObject({ exitCode: 0, stdout: '' })
    expect(await ruleset()).not.toMatch(/ISTIO|istio/)
    expect(node.state()).toEqual([])
  })

  test('Multus runs the plugin twice for one interface, in its list and by a copy: both calls are one attachment', async () => {
    const outer = { conf: { ...conf, name: 'multus-cni-network' } }
    await node.call('ADD', eth0)
    const once = await ruleset()
    expect(await node.call('ADD', outer)).toMatchObject({ exitCode: 0 })
    expect(await ruleset()).toBe(once)
    for (const network of [eth0, outer]) expect(await node.call('CHECK', network)).toMatchObject({ exitCode: 0 })
    expect(await node.call('DEL', outer)).toMatchObject({ exitCode: 0, stdout: '' })
    expect(await ruleset()).toBe(once)
    expect(await node.call('DEL', eth0)).toMatchObject({ exitCode: 0, stdout: '' })
    expect(await ruleset()).not.toMatch(/ISTIO|istio/)
    expect(node.state()).toEqual([])
  })

  test('an attachment of a dead container in a namespace with the same number is ignored', async () => {
    await node.call('ADD', { ...eth0, env: { CNI_CONTAINERID: 'dead' } })
    await node.call('ADD', eth0)
    expect(await node.call('DEL', eth0)).toMatchObject({ exitCode: 0, stdout: '' })
    expect(await ruleset()).not.toMatch(/ISTIO|istio/)
  })
})

describe('DEL in a namespace whose nf_tables only ADD has changed', () => {
  const ruleset = () => node.inside('nft', 'list', 'ruleset')
  beforeEach(() => node.call('ADD', both))

  test('removes all rules, tables and addresses', async () => {
    expect(await ruleset()).toContain('ISTIO_OUTPUT')
    expect(await node.call('DEL', both)).toMatchObject({ exitCode: 0, stdout: '' })
    expect(await ruleset()).toBe('')
    expect(await node.inside('ip', '-6', 'addr', 'show', 'dev', 'lo')).not.toContain('::6/128')
    expect(node.state()).toEqual([])
  })

  test('keeps rules that another program wrote since', async () => {
    await node.inside('nft', 'add', 'table', 'inet', 'others')
    expect(await node.call('DEL', both)).toMatchObject({ exitCode: 0, stdout: '' })
    expect(await ruleset()).toContain('table inet others')
    expect(await ruleset()).not.toContain('ISTIO')
  })

  test('keeps the rules of another namespace that was changed once as well', async () => {
    await using other = await tempNetns()
    await netns.exec(other, ['nft', 'add', 'table', 'inet', 'others'])
    expect(await node.call('DEL', { ...both, env: { CNI_NETNS: other.path } })).toMatchObject({ exitCode: 0 })
    expect((await netns.exec(other, ['nft', 'list', 'ruleset'])).stdout).toContain('table inet others')
  })
})

describe('DEL with an invalid namespace', () => {
  test.each([
    ['does not exist', () => '/run/netns/no-such', 'info', 'the network namespace is gone'],
    ['is a file by now', () => stateFile(), 'info', 'the network namespace is gone'],
    ['cannot be opened', () => loop(), 'warn', 'the network namespace cannot be opened'],
  ])('%s: DEL removes the record and reports it', async (_, path, level, text) => {
    await node.call('ADD', both)
    const { exitCode, stdout, log } = await node.call('DEL', { ...both, env: { CNI_NETNS: path() } })
    expect({ exitCode, stdout }).toEqual({ exitCode: 0, stdout: '' })
    expect(log).toContainEqual(expect.objectContaining({ level, msg: expect.stringContaining(text) }))
    expect(node.state()).toEqual([])
  })

  const loop = (): string => {
    const path = join(node.runDir, 'loop')
    symlinkSync(path, path)
    return path
  }
})

test('only ADD sends requests to the API server', async () => {
  await node.call('ADD', both)
  expect(node.api.requests).toHaveLength(1)
  const gc = { cniVersion: '1.1.0', 'cni.dev/valid-attachments': [] }
  for (const [verb, options] of [
    ['CHECK', both],
    ['CHECK', { ...both, env: { CNI_CONTAINERID: 'other' } }],
    ['STATUS', { conf: { cniVersion: '1.1.0', status_mode: 'strict' } }],
    ['DEL', both],
    ['DEL', both],
    ['DEL', { ...both, env: { CNI_NETNS: '' } }],
    ['GC', { conf: gc }],
  ] as const) {
    expect(await node.call(verb, options)).toMatchObject({ exitCode: 0 })
  }
  await node.call('ADD', both)
  await node.inside('iptables', '-t', 'nat', '-F', 'ISTIO_OUTPUT')
  expect(await node.call('CHECK', both)).toMatchObject({ exitCode: 1 })
  expect(node.api.requests).toHaveLength(2)
})

describe('GC', () => {
  const gc = (attachments: unknown) =>
    node.call('GC', { conf: { cniVersion: '1.1.0', 'cni.dev/valid-attachments': attachments } })

  test('removes the records of attachments that are no longer valid', async () => {
    await node.call('ADD')
    expect(await gc([{ containerID: 'container-1', ifname: 'eth0' }])).toMatchObject({ exitCode: 0, stdout: '' })
    expect(node.state()).toHaveLength(1)
    expect(await gc([{ containerID: 'container-1', ifname: 'eth1' }])).toMatchObject({ exitCode: 0, stdout: '' })
    expect(node.state()).toEqual([])
  })

  test('fails if it cannot remove a record, after it has removed the others', async () => {
    await node.call('ADD')
    const kept = stateFile()
    await node.call('ADD', { env: { CNI_CONTAINERID: 'container-2' } })
    // The kernel refuses to remove a mount point.
    execFileSync('mount', ['--bind', kept, kept])
    try {
      expect(await gc([])).toMatchObject({
        exitCode: 1,
        document: { code: 5, msg: expect.stringContaining(`state file ${kept}: it cannot be removed: `) },
      })
    } finally {
      execFileSync('umount', [kept])
    }
    expect(node.state()).toMatchObject([{ containerID: 'container-1' }])
  })
})

describe('STATUS', () => {
  const status = (conf: object = {}) => node.call('STATUS', { conf: { cniVersion: '1.1.0', ...conf } })

  test('succeeds on a node with iptables and a kubeconfig', async () => {
    expect(await status({ status_mode: 'strict' })).toMatchObject({ exitCode: 0, stdout: '' })
  })

  test('succeeds without a kubeconfig, which the agent writes, unless it is strict', async () => {
    rmSync(join(node.runDir, 'istio-cni-kubeconfig'))
    const lenient = await status()
    expect(lenient).toMatchObject({ exitCode: 0, stdout: '' })
    expect(lenient.log).toContainEqual(expect.objectContaining({ level: 'warn' }))
    expect(await status({ status_mode: 'strict' })).toMatchObject({ exitCode: 1, document: { code: 50 } })
  })

  test('succeeds without iptables, which is not needed', async () => {
    vi.stubEnv('PATH', '/nonexistent')
    expect(await status({ status_mode: 'strict' })).toMatchObject({ exitCode: 0, stdout: '', log: [] })
  })
})
