import { readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { iptables, ruleset } from '@cni/iptables'
import { ownedNetns } from '@cni/netns/testing'
import { describe, expect, test, vi } from 'vitest'
import { kernelDump } from '../../../istio-rules/test/kernel-dump.ts'
import { SERVE_SOCKET } from '../../src/serve/socket.ts'
import { meshPod, plainPod } from '../../src/testing/pods.ts'
import { type Fixture, fixture, type Outcome, prevResult } from '../plugin/fixture.ts'
import { inetTablesIn } from '../stage/tables-in.ts'
import { type ServingAgent, servingAgent } from './serve-agent.ts'
import type { Conduct } from './serve-worker.ts'

vi.mock('@cni/skel/daemon', async (original) => (await import('./long-deadline.ts')).withLongDeadline(original))
// The first test starts a thread that loads the agent's sources; on a busy machine that takes ten seconds and more.
vi.setConfig({ testTimeout: 120_000 })

const own = 'the node agent does not decide: the plugin does'

/** The log lines without time and duration. */
const said = ({ log }: Outcome) => log.map(({ time: _, durationMs: __, ...line }) => line)

/** The number of requests from the plugin to the API server. */
const asked = ({ api }: Fixture) => api.requests.length

/** Calls ADD, and expects that the agent decides. */
async function served(place: Fixture, agent: ServingAgent, conf: object = {}): Promise<Outcome> {
  const requests = asked(place)
  const answers = agent.answers.length
  const outcome = await place.call('ADD', { conf: { ...conf } })
  await vi.waitUntil(() => agent.answers.length > answers, { timeout: 5000 })
  expect(asked(place)).toBe(requests)
  return outcome
}

describe('an ADD that the agent decides', () => {
  describe.each([
    ['iptables', {}],
    ['native', { native_nftables: true }],
  ])('%s', (_, kind) => {
    test.each([
      ['IPv4', {}, ['10.1.2.3/24']],
      ['dual stack', { proxy: { env: [{ name: 'ISTIO_DUAL_STACK', value: 'true' }] } }, ['10.1.2.3/24', 'fd00::3/64']],
      ['IPv6 alone', {}, ['fd00::3/64']],
      ['TPROXY', { annotations: { 'sidecar.istio.io/interceptionMode': 'TPROXY' } }, ['10.1.2.3/24']],
      ['DNS', { proxy: { env: [{ name: 'ISTIO_META_DNS_CAPTURE', value: 'true' }] } }, ['10.1.2.3/24']],
    ])('leaves the same state as an ADD without an agent, and sends no request: %s', async (_, options, ips) => {
      const pod = meshPod(options)
      await using one = await fixture(pod)
      await using other = await fixture(pod)
      await using agent = await servingAgent(one.runDir, [pod])
      const conf = { prevResult: prevResult(...ips), plugin_log_level: 'debug', cni_agent_run_dirs: 1, ...kind }
      const byAgent = await served(one, agent, conf)
      const alone = await other.call('ADD', { conf })
      expect(agent.answers.at(-1)).toBe('redirect')
      expect(byAgent.stdout).toBe(alone.stdout)
      expect(said(byAgent)).toEqual(said(alone))
      expect(await one.rules()).toBe(await other.rules())
      expect(kernelDump(one.netns)).toEqual(kernelDump(other.netns))
      const [a, b] = [one.state()[0], other.state()[0]]
      expect({ ...a, netns: b?.netns }).toEqual(b)
      expect(a?.netns).toEqual({ dev: Number(one.netns.dev), ino: Number(one.netns.ino) })
      expect(a).toMatchObject({ applied: true, backend: 'native_nftables' in kind ? 'nftables' : 'nft' })
      expect((await one.call('CHECK', { conf })).exitCode).toBe(0)
      expect((await one.call('DEL', { conf })).exitCode).toBe(0)
      expect(await one.rules()).not.toContain('ISTIO')
      expect(inetTablesIn(one.netns)).toEqual([])
      expect(one.state()).toEqual([])
    })

    test('changes nothing when it is repeated', async () => {
      const pod = meshPod()
      await using one = await fixture(pod)
      await using agent = await servingAgent(one.runDir, [pod])
      await served(one, agent, kind)
      const before = kernelDump(one.netns)
      const { exitCode, log } = await served(one, agent, kind)
      expect(exitCode).toBe(0)
      expect(log.at(-1)).toMatchObject({ msg: 'traffic is redirected', plan: 'unchanged' })
      expect(kernelDump(one.netns)).toEqual(before)
    })
  })

  test('writes native rules beside foreign rules', async () => {
    const pod = meshPod()
    await using one = await fixture(pod)
    await using agent = await servingAgent(one.runDir, [pod])
    await one.inside('iptables-nft', '-t', 'nat', '-A', 'OUTPUT', '-p', 'tcp', '--dport', '9', '-j', 'ACCEPT')
    await one.inside('nft', 'add', 'table', 'inet', 'theirs')
    expect((await served(one, agent, { native_nftables: true })).exitCode).toBe(0)
    expect(agent.answers).toEqual(['redirect'])
    expect(inetTablesIn(one.netns)).toEqual(['theirs', 'istio-proxy-nat'])
    expect(await one.rules()).toContain('--dport 9')
  })

  test('writes native rules without iptables or any program', async () => {
    const pod = meshPod()
    await using one = await fixture(pod)
    await using agent = await servingAgent(one.runDir, [pod])
    vi.stubEnv('PATH', '')
    expect((await served(one, agent, { native_nftables: true })).exitCode).toBe(0)
    expect(agent.answers).toEqual(['redirect'])
    expect(inetTablesIn(one.netns)).toEqual(['istio-proxy-nat'])
  })

  test('writes native rules in a pod with a user namespace of its own', async () => {
    const pod = meshPod()
    await using one = await fixture(pod, ownedNetns)
    await using agent = await servingAgent(one.runDir, [pod])
    expect((await served(one, agent, { native_nftables: true })).exitCode).toBe(0)
    expect(agent.answers).toEqual(['redirect'])
    expect((await one.call('CHECK', { conf: { native_nftables: true } })).exitCode).toBe(0)
  })

  test('replaces iptables rules by native rules, and the other way round', async () => {
    const pod = meshPod()
    await using one = await fixture(pod)
    await using agent = await servingAgent(one.runDir, [pod])
    await served(one, agent)
    expect((await served(one, agent, { native_nftables: true })).exitCode).toBe(0)
    expect(inetTablesIn(one.netns)).toEqual(['istio-proxy-nat'])
    expect(await one.rules()).not.toContain('ISTIO')
    expect(one.state()).toMatchObject([{ backend: 'nftables', applied: true }])
    expect((await served(one, agent)).exitCode).toBe(0)
    expect(inetTablesIn(one.netns)).toEqual([])
    expect(one.state()).toMatchObject([{ backend: 'nft', applied: true }])
  })

  test.each([
    ['a pod outside the mesh', plainPod(), {}, 'skip'],
    [
      'an annotation that is impossible',
      meshPod({ annotations: { 'traffic.sidecar.istio.io/excludeInboundPorts': 'x' } }),
      {},
      'error',
    ],
    ['no address', meshPod(), { prevResult: prevResult() }, 'error'],
  ])('has the messages of an ADD without an agent: %s', async (_, pod, conf, act) => {
    await using one = await fixture(pod)
    await using agent = await servingAgent(one.runDir, [pod])
    const byAgent = await served(one, agent, conf)
    const alone = await one.call('ADD', { conf: { ...conf, agent: 'never' } })
    expect(agent.answers.at(-1)).toBe(act)
    expect([byAgent.exitCode, byAgent.stdout]).toEqual([alone.exitCode, alone.stdout])
    expect(said(byAgent)).toEqual(said(alone))
    expect(one.state()).toEqual([])
  })

  test('writes its lines to the file of the plugin', async () => {
    const pod = meshPod()
    await using one = await fixture(pod)
    await using agent = await servingAgent(one.runDir, [pod])
    const { log } = await served(one, agent)
    expect(log.at(-1)?.msg).toBe('traffic is redirected')
    const lines = readFileSync(join(one.runDir, 'istio-cni.log'), 'utf8').trimEnd().split('\n')
    expect(lines.map((line) => JSON.parse(line))).toEqual(log)
  })

  test.each([
    ['of an excluded namespace', { exclude_namespaces: ['demo'] }, 0],
    ['with an invalid configuration', { check_mode: 'no' }, 1],
  ])('sends no request about a pod %s', async (_, conf, code) => {
    const pod = meshPod()
    await using one = await fixture(pod)
    await using agent = await servingAgent(one.runDir, [pod])
    expect((await one.call('ADD', { conf })).exitCode).toBe(code)
    expect([asked(one), agent.answers]).toEqual([0, []])
  })

  test('keeps foreign rules in the namespace', async () => {
    const pod = meshPod()
    await using one = await fixture(pod)
    await using agent = await servingAgent(one.runDir, [pod])
    await iptables(one.netns, { backend: 'iptables-nft' }).apply(
      ruleset({ filter: ['OTHERS'] }, (t) => [t.filter.on('OTHERS').proto('tcp').dport(80).drop()]),
    )
    expect((await served(one, agent)).exitCode).toBe(0)
    expect(await one.rules()).toMatch(/OTHERS -p tcp[\s\S]*ISTIO_OUTPUT|ISTIO_OUTPUT[\s\S]*OTHERS -p tcp/)
  })

  test('replaces an invalid record of an earlier ADD', async () => {
    const pod = meshPod()
    await using one = await fixture(pod)
    await one.call('ADD')
    const [file = ''] = readdirSync(join(one.runDir, 'attachments'))
    writeFileSync(join(one.runDir, 'attachments', file), '{', { mode: 0o600 })
    await iptables(one.netns).removeChains('ISTIO_')
    await using agent = await servingAgent(one.runDir, [pod])
    const { exitCode, log } = await one.call('ADD')
    expect(exitCode).toBe(0)
    expect(log).toContainEqual(expect.objectContaining({ msg: 'the state of an earlier ADD is replaced' }))
    expect(agent.answers).not.toContain('skip')
    expect(one.state()).toMatchObject([{ applied: true }])
  })

  test.each([
    ['iptables', {}],
    ['native', { native_nftables: true }],
  ])('removes rules and record after a later failure: %s', async (_, kind) => {
    const env = [{ name: 'ISTIO_DUAL_STACK', value: 'true' }]
    const pod = meshPod({ proxy: { env } })
    await using one = await fixture(pod)
    await using other = await fixture(pod)
    await using agent = await servingAgent(one.runDir, [pod])
    const conf = { prevResult: prevResult('10.1.2.3/24', 'fd00::3/64'), ...kind }
    // The address exists already, on an interface that the plugin does not check: adding it fails.
    for (const place of [one, other]) await place.inside('ip', 'link', 'set', 'lo', 'mtu', '1000')
    const outcomes = [await one.call('ADD', { conf }), await other.call('ADD', { conf })]
    expect(outcomes[0]?.document).toEqual(outcomes[1]?.document)
    expect(await one.rules()).toBe(await other.rules())
    expect(inetTablesIn(one.netns)).toEqual(inetTablesIn(other.netns))
    expect(one.state().length).toBe(other.state().length)
    expect(agent.answers.length).toBeLessThanOrEqual(1)
  })
})

describe('without an answer the plugin decides by itself', () => {
  const conducts: readonly Conduct[] = [
    'other version',
    'says nothing',
    'hangs up',
    'something else',
    'accepts only',
    'accepts and hangs up',
    'half an answer',
    'half an answer and silence',
    'an answer that is none',
    'an answer too long',
    'a batch that is none',
  ]

  test.each(conducts)('an agent with the fault: %s', async (conduct) => {
    const pod = meshPod()
    await using one = await fixture(pod)
    await using other = await fixture(pod)
    await using agent = await servingAgent(one.runDir, [pod], conduct)
    const begun = performance.now()
    const { exitCode, stdout, log } = await one.call('ADD', { conf: { plugin_log_level: 'debug' } })
    expect(performance.now() - begun).toBeLessThan(20_000)
    const alone = await other.call('ADD')
    expect([exitCode, stdout]).toEqual([0, alone.stdout])
    expect(log).toContainEqual(expect.objectContaining({ level: 'debug', msg: own }))
    expect(log.at(-1)).toMatchObject({ msg: 'traffic is redirected', plan: 'fresh' })
    expect(await one.rules()).toBe(await other.rules())
    expect(inetTablesIn(one.netns)).toEqual(inetTablesIn(other.netns))
    expect(one.state()).toMatchObject([{ applied: true }])
    expect(asked(one)).toBe(1)
    expect(agent.answers.length).toBeLessThanOrEqual(1)
  })

  test('a batch that the kernel refuses is not written, and the plugin writes its own rules', async () => {
    const pod = meshPod()
    await using one = await fixture(pod)
    await using other = await fixture(pod)
    await using _ = await servingAgent(one.runDir, [pod], 'a batch that the kernel refuses')
    expect((await one.call('ADD')).exitCode).toBe(0)
    await other.call('ADD')
    expect(await one.rules()).toBe(await other.rules())
    expect(one.state()).toMatchObject([{ applied: true }])
    expect(asked(one)).toBe(0)
  })

  const nobody: readonly (readonly [string, (path: string, one: Fixture) => void])[] = [
    ['a file in the place of the socket', (path) => writeFileSync(path, '')],
    ['a link that leads nowhere', (path) => symlinkSync('/nowhere', path)],
    ['nothing', () => {}],
  ]
  test.each(nobody)('%s', async (_, put) => {
    const pod = meshPod()
    await using one = await fixture(pod)
    put(join(one.runDir, SERVE_SOCKET), one)
    const { exitCode } = await one.call('ADD')
    expect(exitCode).toBe(0)
    expect(asked(one)).toBe(1)
  })

  test('a socket left behind by an agent', async () => {
    const pod = meshPod()
    await using one = await fixture(pod)
    // A terminated thread leaves its socket.
    await (await servingAgent(one.runDir, [pod]))[Symbol.asyncDispose]()
    expect((await one.call('ADD')).exitCode).toBe(0)
    expect(asked(one)).toBe(1)
  })

  test('"agent": "never" sends no request to the agent', async () => {
    const pod = meshPod()
    await using one = await fixture(pod)
    await using agent = await servingAgent(one.runDir, [pod])
    expect((await one.call('ADD', { conf: { agent: 'never' } })).exitCode).toBe(0)
    expect(asked(one)).toBe(1)
    expect(agent.answers).toEqual([])
  })

  test('no descriptor stays open, for any fault of the agent', async () => {
    const pod = meshPod()
    for (const conduct of ['serves', 'hangs up', 'half an answer', 'an answer too long'] as const) {
      await using one = await fixture(pod)
      await using agent = await servingAgent(one.runDir, [pod], conduct)
      const open = () => readdirSync('/proc/self/fd').length
      await one.call('ADD')
      const before = open()
      for (let n = 0; n < 5; n += 1) await one.call('ADD')
      // The agent's end of a connection is also in this process, and closes a little later.
      await vi.waitUntil(() => open() <= before, { timeout: 10_000 })
      await vi.waitUntil(() => agent.answers.length > 0, { timeout: 5000 })
      rmSync(join(one.runDir, SERVE_SOCKET))
    }
  })
})
