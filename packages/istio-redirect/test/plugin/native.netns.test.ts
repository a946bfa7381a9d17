import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { ownedNetns } from '@cni/netns/testing'
import { nftables } from '@cni/nftables'
import { Batch, openNft } from '@cni/nftables/wire'
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { nativeRules } from '../../../istio-rules/src/nftables/rules.ts'
import { kernelDump } from '../../../istio-rules/test/kernel-dump.ts'
import { attachmentsIn } from '../../src/state/attachments.ts'
import { meshPod } from '../../src/testing/pods.ts'
import { legacyPath } from '../stage/legacy-path.ts'
import { type Fixture, fixture, prevResult } from './fixture.ts'

let node: Fixture
beforeEach(async () => {
  node = await fixture(podOf('REDIRECT'))
})
afterEach(() => node[Symbol.asyncDispose]())

const modes = ['REDIRECT', 'TPROXY'] as const
type Mode = (typeof modes)[number]
const podOf = (mode: Mode, more: object = {}) =>
  meshPod({
    annotations: { 'sidecar.istio.io/interceptionMode': mode, ...more },
    proxy: { env: [{ name: 'ISTIO_DUAL_STACK', value: 'true' }] },
  })
const asks = (mode: Mode, more?: object) => node.api.setPod(podOf(mode, more))

const both = { cniVersion: '1.1.0', prevResult: prevResult('10.1.2.3/24', 'fd00::5/64') }
const call = (verb: string, conf: object = {}) => node.call(verb, { conf: { ...both, native_nftables: true, ...conf } })
const byIptables = (verb: string, conf: object = {}) => call(verb, { native_nftables: false, ...conf })

/** A call with a PATH of its own. */
async function withPath<T>(path: string, calls: () => Promise<T>): Promise<T> {
  vi.stubEnv('PATH', path)
  try {
    return await calls()
  } finally {
    vi.unstubAllEnvs()
  }
}

/** The tables of the namespace, each as `family name`. */
function tables(): readonly string[] {
  using nft = openNft(node.netns)
  return nft.tables().map(({ family, table }) => `${family} ${table}`)
}
const NAT = 'inet istio-proxy-nat'
const MANGLE = 'inet istio-proxy-mangle'

/** The settings in the record. */
const recorded = () => {
  const [found] = attachmentsIn(node.runDir).list().stored
  return found?.state.rules ?? expect.unreachable()
}
/** All rules of both kinds in the kernel. */
async function everything() {
  const own = kernelDump(node.netns).filter((line) => line.includes(Buffer.from('istio-proxy').toString('hex')))
  return { native: own, iptables: (await node.rules()).match(/^-A .*$/gm)?.sort() ?? [] }
}
const chains = async () => (await node.rules()).includes('ISTIO_')
const policy = async () =>
  [await node.inside('ip', 'rule'), await node.inside('ip', '-6', 'rule')].join('').match(/fwmark .*$/gm) ?? []

describe.each(modes)('a pod that asks for %s, with native_nftables', (mode) => {
  beforeEach(() => asks(mode))

  test('is added, checked, repeated and deleted with an empty PATH', async () => {
    await withPath('', async () => {
      expect(await call('STATUS')).toMatchObject({ exitCode: 0, stdout: '' })
      const added = await call('ADD')
      expect(added).toMatchObject({ exitCode: 0 })
      expect(added.log.at(-1)).toMatchObject({ msg: 'traffic is redirected', backend: 'nftables', plan: 'fresh' })
      expect(node.state()).toMatchObject([{ backend: 'nftables', families: ['ipv4', 'ipv6'], applied: true }])
      await nftables(node.netns).verify(nativeRules(recorded()))
      expect(tables()).toEqual(mode === 'TPROXY' ? [NAT, MANGLE] : [NAT])
      const written = kernelDump(node.netns)
      expect(await call('CHECK')).toMatchObject({ exitCode: 0, stdout: '' })
      const again = await call('ADD')
      expect(again).toMatchObject({ exitCode: 0 })
      expect(again.log.at(-1)).toMatchObject({ plan: 'unchanged' })
      expect(kernelDump(node.netns)).toEqual(written)
    })
    expect(await chains()).toBe(false)
    expect(await policy()).toHaveLength(mode === 'TPROXY' ? 2 : 0)
    await withPath('', async () => {
      const { exitCode, log } = await call('DEL')
      expect({ exitCode, log }).toEqual({ exitCode: 0, log: [] })
    })
    expect(tables().filter((name) => name.startsWith('inet'))).toEqual([])
    expect(await policy()).toEqual([])
    expect(await node.inside('ip', '-6', 'address', 'show', 'dev', 'lo')).not.toContain('::6/128')
    expect(node.state()).toEqual([])
  })

  test('starts no program, for any PATH', async () => {
    const bin = join(node.runDir, 'bin')
    const record = join(node.runDir, 'started')
    mkdirSync(bin)
    writeFileSync(record, '')
    const names = ['nft', 'nsenter', 'ip', 'modprobe', 'sh', 'iptables', 'iptables-restore', 'iptables-save']
    for (const name of [...names, 'ip6tables-restore', 'ip6tables-save']) {
      writeFileSync(join(bin, name), `#!/bin/sh\necho "$0 $*" >> ${record}\nexit 1\n`, { mode: 0o755 })
    }
    await withPath(bin, async () => {
      for (const verb of ['STATUS', 'ADD', 'CHECK', 'ADD', 'DEL'])
        expect(await call(verb)).toMatchObject({ exitCode: 0 })
    })
    expect(readFileSync(record, 'utf8')).toBe('')
  })
})

test('a native ADD that fails after its rules leaves nothing', async () => {
  asks('TPROXY')
  await node.inside('ip', 'link', 'set', 'lo', 'down')
  expect(await call('ADD')).toMatchObject({ exitCode: 1, document: { msg: expect.stringContaining('ENETDOWN') } })
  expect(tables()).toEqual([])
  expect(node.state()).toEqual([])
})

describe('CHECK of native rules', () => {
  const drift = (details: string) => ({
    exitCode: 1,
    document: { code: 100, details: expect.stringContaining(details) },
  })

  test.each<[string, (batch: Batch) => Batch, string]>([
    [
      'a rule that somebody added',
      (batch) =>
        batch.addRule({
          ...table,
          chain: 'istio-output',
          expressions: [{ name: 'immediate', dreg: 0, data: { verdict: 'accept' } }],
        }),
      'chain istio-output: accept',
    ],
    ['a chain that somebody added', (batch) => batch.addChain({ ...table, chain: 'theirs' }), 'theirs'],
    [
      'a chain that somebody emptied',
      (batch) => batch.flush({ ...table, chain: 'istio-redirect' }),
      'chain istio-redirect: meta l4proto tcp counter redirect to :15001',
    ],
    ['a table that is gone', (batch) => batch.deleteTable(table), 'istio-proxy-nat'],
    [
      'a table of ours that nobody asked for',
      (batch) => batch.addTable({ family: 'inet', table: 'istio-proxy-raw' }),
      'istio-proxy-raw',
    ],
  ])('names %s, and a repeated ADD repairs it', async (_, change, details) => {
    await call('ADD')
    {
      using nft = openNft(node.netns)
      nft.commit(change(new Batch()))
    }
    expect(await call('CHECK')).toMatchObject(drift(details))
    const mended = await call('ADD')
    expect(mended).toMatchObject({ exitCode: 0 })
    expect(mended.log.at(-1)).not.toMatchObject({ plan: 'unchanged' })
    const { exitCode, document: after } = await call('CHECK')
    expect({ exitCode, after }).toEqual({ exitCode: 0, after: {} })
  })

  test('ignores foreign tables, and our calls do not change them', async () => {
    const theirs = { family: 'inet', table: 'theirs' } as const
    {
      using nft = openNft(node.netns)
      nft.commit(new Batch().addTable(theirs).addChain({ ...theirs, chain: 'istio-output' }))
    }
    for (const verb of ['ADD', 'CHECK', 'DEL']) expect(await call(verb)).toMatchObject({ exitCode: 0 })
    expect(tables()).toEqual(['inet theirs'])
  })

  const table = { family: 'inet', table: 'istio-proxy-nat' } as const
})

describe('a pod that changes from iptables to native rules', () => {
  test('has only the new rules, also after the change back', async () => {
    for (const mode of modes) {
      asks(mode)
      expect(await byIptables('ADD')).toMatchObject({ exitCode: 0 })
      expect([await chains(), tables().filter((name) => name.startsWith('inet'))]).toEqual([true, []])
      expect(await byIptables('CHECK')).toMatchObject({ exitCode: 0 })
      expect(await call('ADD')).toMatchObject({ exitCode: 0 })
      expect([await chains(), tables().includes(NAT)]).toEqual([false, true])
      expect(await call('CHECK')).toMatchObject({ exitCode: 0 })
    }
    expect(await byIptables('DEL')).toMatchObject({ exitCode: 0, log: [] })
    expect([await chains(), tables().filter((name) => name.startsWith('inet'))]).toEqual([false, []])
  })

  test.each(['REDIRECT', 'TPROXY'] as const)('has only the new rules after legacy iptables with %s', async (mode) => {
    asks(mode)
    const path = legacyPath(node.runDir)
    await withPath(path, async () => expect(await byIptables('ADD')).toMatchObject({ exitCode: 0 }))
    expect(node.state()).toMatchObject([{ backend: 'legacy' }])
    await withPath(path, async () => expect(await call('ADD')).toMatchObject({ exitCode: 0 }))
    expect(await node.inside('iptables-legacy-save')).not.toContain('ISTIO')
    expect(tables()).toContain(NAT)
  })

  test('has only the new rules if the record does not name the kind', async () => {
    await byIptables('ADD')
    const folder = join(node.runDir, 'attachments')
    for (const file of readdirSync(folder)) {
      const text = readFileSync(join(folder, file), 'utf8')
      writeFileSync(join(folder, file), text.replace('"backend":"nft"', '"backend":null'))
    }
    expect(node.state()).toMatchObject([{ backend: null }])
    expect(await call('ADD')).toMatchObject({ exitCode: 0 })
    expect([await chains(), tables().includes(NAT)]).toEqual([false, true])
  })

  test.each([
    ['whose record cannot be read', {}],
    ['of which nothing is recorded', { cni_agent_run_dir: '' }],
  ])('%s has only the new rules', async (_, conf) => {
    const kubernetes = { kubeconfig: join(node.runDir, 'istio-cni-kubeconfig') }
    const with_ = { ...conf, kubernetes }
    expect(await byIptables('ADD', with_)).toMatchObject({ exitCode: 0 })
    spoil()
    expect(await call('ADD', with_)).toMatchObject({ exitCode: 0 })
    expect([await chains(), tables().includes(NAT)]).toEqual([false, true])
    spoil()
    expect(await byIptables('ADD', with_)).toMatchObject({ exitCode: 0 })
    expect([await chains(), tables().includes(NAT)]).toEqual([true, false])
  })

  test.each([
    ['to native', byIptables, call],
    ['to iptables', call, byIptables],
  ] as const)('%s, and fails, has what it had', async (_, before, after) => {
    await before('ADD')
    const state = node.state()
    const had = [await everything(), await policy()]
    asks('TPROXY')
    await node.inside('ip', 'link', 'set', 'lo', 'down')
    await node.inside('ip', '-6', 'address', 'flush', 'dev', 'lo')
    expect(await after('ADD')).toMatchObject({ exitCode: 1 })
    await node.inside('ip', 'link', 'set', 'lo', 'up')
    expect([await everything(), await policy()]).toEqual(had)
    expect(node.state()).toEqual(state)
  })
})

describe('a pod with native rules that changes', () => {
  test('from TPROXY with DNS to REDIRECT leaves nothing of the older mode', async () => {
    node.api.setPod(
      meshPod({
        annotations: { 'sidecar.istio.io/interceptionMode': 'TPROXY' },
        proxy: {
          env: [
            { name: 'ISTIO_DUAL_STACK', value: 'true' },
            { name: 'ISTIO_META_DNS_CAPTURE', value: 'true' },
          ],
        },
      }),
    )
    await call('ADD')
    expect(tables()).toEqual([NAT, MANGLE, 'inet istio-proxy-raw'])
    using nft = openNft(node.netns)
    const generation = nft.generation()
    asks('REDIRECT')
    expect(await call('ADD')).toMatchObject({ exitCode: 0 })
    expect(tables()).toEqual([NAT])
    // A single transaction: no packet meets half of the rules.
    expect(nft.generation()).toBe(generation + 1)
    expect(await policy()).toEqual([])
    expect(await call('CHECK')).toMatchObject({ exitCode: 0 })
  })

  test('gets new base chains if their priority changed', async () => {
    const table = { family: 'inet', table: 'istio-proxy-nat' } as const
    {
      using nft = openNft(node.netns)
      const base = { type: 'nat', hook: 'output', priority: -90 } as const
      nft.commit(new Batch().addTable(table).addChain({ ...table, chain: 'output', base, policy: 'accept' }))
    }
    expect(await call('ADD')).toMatchObject({ exitCode: 0 })
    await nftables(node.netns).verify(nativeRules(recorded()))
  })

  test('supports an interface name that is a keyword or a wildcard of nft', async () => {
    asks('REDIRECT', { 'traffic.sidecar.istio.io/excludeInterfaces': 'drop,tcp,counter' })
    expect(await call('ADD')).toMatchObject({ exitCode: 0 })
    expect(recorded()).toMatchObject({ excludeInterfaces: ['drop', 'tcp', 'counter'] })
    await nftables(node.netns).verify(nativeRules(recorded()))
  })
})

test('a pod with a user namespace of its own is redirected natively, without nsenter', async () => {
  await using own = await fixture(podOf('TPROXY'), ownedNetns)
  const verbs = ['ADD', 'CHECK', 'ADD', 'DEL']
  const codes = await withPath('', async () => {
    const codes: number[] = []
    for (const verb of verbs) codes.push((await own.call(verb, { conf: { ...both, native_nftables: true } })).exitCode)
    return codes
  })
  expect(codes).toEqual(verbs.map(() => 0))
  using nft = openNft(own.netns)
  expect(nft.tables({ family: 'inet' })).toEqual([])
})

function spoil(): void {
  const folder = join(node.runDir, 'attachments')
  for (const file of existsSync(folder) ? readdirSync(folder) : []) writeFileSync(join(folder, file), '{')
}
