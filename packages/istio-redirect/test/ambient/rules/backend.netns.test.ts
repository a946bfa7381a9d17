import { mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { findExecutable } from '@cni/host'
import { defaultProbeSource } from '@cni/istio-rules'
import type { Netns } from '@cni/netns'
import { tempNetns } from '@cni/netns/testing'
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { enrolNamespace, namespaceDrift } from '../../../src/agent/ambient/namespace/enrol-namespace.ts'
import { type BackendSettings, chooseBackend } from '../../../src/agent/ambient/node/choose-backend.ts'
import { nodeProbes } from '../../../src/agent/ambient/node/node-probes.ts'
import { backendFile } from '../../../src/agent/config/backend-file.ts'
import { inside as runIn } from '../../stage/inside.ts'
import { legacyPath } from '../../stage/legacy-path.ts'

let folder: string
let stateFile: string
let node: Awaited<ReturnType<typeof tempNetns>>
beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'back-end-'))
  stateFile = backendFile(folder)
  node = await tempNetns()
})
afterEach(async () => {
  vi.unstubAllEnvs()
  rmSync(folder, { recursive: true })
  await node[Symbol.asyncDispose]()
})

const wish: BackendSettings = { nativeNftables: false, forced: '', ipv6: true }
const choose = (wanted: Partial<BackendSettings> = {}) =>
  chooseBackend({ ...wish, ...wanted }, { netns: node, stateFile })

const run = (place: Netns, command: string): string => {
  const [program = '', ...args] = command.split(' ')
  return runIn(place, [program, ...args])
}
const inside = (command: string): string => run(node, command)

/** All rules and tables of every back end, including empty legacy tables. */
const everything = (): string =>
  [
    inside('nft list ruleset'),
    inside('cat /proc/net/ip_tables_names'),
    inside('cat /proc/net/ip6_tables_names'),
    inside('ipset save'),
  ].join('')

const capture = {
  ipv6: true,
  dnsCapture: true,
  bypassInbound: false,
  virtualInterfaces: [],
  probeSource: defaultProbeSource,
} as const

const hasAll = ['nft', 'iptables-nft', 'iptables-legacy', 'ipset'].every((name) => findExecutable(name) !== undefined)

describe.skipIf(!hasAll)('with both variants of iptables', () => {
  test('nft is chosen on an empty node, and the detection leaves nothing behind', async () => {
    expect(await choose()).toEqual({
      backend: 'iptables-nft',
      why: 'no other program has rules in iptables-legacy',
      warnings: [],
    })
    expect(everything()).toBe('')
    expect(statSync(stateFile).mode & 0o777).toBe(0o600)
  })

  test.each([
    ['iptables-nft', 'empty tables', ['iptables-legacy -t nat -L', 'ip6tables-legacy -t filter -L']],
    [
      'iptables-nft',
      'rules of Istio only',
      ['iptables-legacy -t nat -N ISTIO_POSTRT', 'iptables-legacy -t nat -I POSTROUTING 1 -j ISTIO_POSTRT'],
    ],
    ['iptables-nft', 'rules of others in nft', ['iptables-nft -A INPUT -p udp -j ACCEPT']],
    ['iptables-legacy', 'a rule of others', ['iptables-legacy -A INPUT -p udp -j ACCEPT']],
    ['iptables-legacy', 'a rule of others for IPv6', ['ip6tables-legacy -t nat -A OUTPUT -p udp -j ACCEPT']],
    ['iptables-legacy', 'a chain of others', ['iptables-legacy -t mangle -N KUBE-MARK']],
    ['iptables-legacy', 'a policy', ['iptables-legacy -P FORWARD DROP']],
    ['iptables-legacy', 'rules of others in both', ['iptables-nft -N A', 'iptables-legacy -N B']],
  ] as const)('%s is chosen where there are %3$s%2$s', async (backend, _, commands) => {
    for (const command of commands) inside(command)
    const before = everything()
    expect(await choose()).toMatchObject({ backend, warnings: [] })
    expect(everything()).toBe(before)
  })

  test('a second start chooses the same variant, with and without a remembered choice, and with rules of ours in place', async () => {
    const first = await choose()
    const probes = nodeProbes({ ipv6: true, probeSource: defaultProbeSource }, { netns: node, backend: 'iptables-nft' })
    await probes.apply()
    expect(await choose()).toEqual({ ...first, why: 'an earlier start chose it' })
    rmSync(stateFile)
    expect(await choose()).toEqual(first)
    expect(await probes.drift()).toEqual([])
  })

  test('rules that other programs write later do not change the choice', async () => {
    await choose()
    inside('iptables-legacy -A INPUT -p udp -j ACCEPT')
    expect(await choose()).toMatchObject({ backend: 'iptables-nft', why: 'an earlier start chose it' })
  })

  test.each(['legacy', 'nft'] as const)('FORCE_IPTABLES_BINARY=%s decides and is not remembered', async (forced) => {
    expect(await choose({ forced })).toEqual({
      backend: `iptables-${forced}`,
      why: `FORCE_IPTABLES_BINARY is ${forced}`,
      warnings: [],
    })
    inside('iptables-legacy -A INPUT -p udp -j ACCEPT')
    expect(await choose()).toMatchObject({ backend: 'iptables-legacy', why: 'other programs have rules in it' })
  })

  test('an invalid remembered choice is reported, ignored and replaced', async () => {
    writeFileSync(stateFile, '{"iptables":"legacy;rm"}')
    const { backend, warnings } = await choose()
    expect([backend, warnings]).toEqual([
      'iptables-nft',
      [expect.stringContaining(`${stateFile} has an invalid choice of iptables`)],
    ])
    expect(readFileSync(stateFile, 'utf8')).toBe('{"iptables":"nft"}\n')
  })

  test('a failure to write the remembered choice is reported, and the start succeeds', async () => {
    mkdirSync(stateFile)
    const { backend, warnings } = await choose()
    expect([backend, warnings.length]).toEqual(['iptables-nft', 2])
  })

  test('a remembered variant that is not installed is not chosen', async () => {
    inside('iptables-legacy -A INPUT -p udp -j ACCEPT')
    expect(await choose()).toMatchObject({ backend: 'iptables-legacy' })
    const bin = join(folder, 'bin')
    mkdirSync(bin)
    for (const name of ['iptables-nft-save', 'iptables-nft-restore'])
      symlinkSync(findExecutable(name) ?? '', join(bin, name))
    vi.stubEnv('PATH', bin)
    expect(await choose()).toMatchObject({ backend: 'iptables-nft' })
    await expect(choose({ forced: 'legacy' })).rejects.toMatchObject({ code: 'NO_BINARY' })
  })

  test('an agent chooses the only variant that is installed', async () => {
    vi.stubEnv('PATH', legacyPath(folder))
    expect(await choose()).toMatchObject({ backend: 'iptables-legacy', why: 'iptables-nft is not installed' })
  })
})

describe.skipIf(!hasAll)('native rules', () => {
  test('are chosen where no rules or sets of iptables are left', async () => {
    expect(await choose({ nativeNftables: true })).toEqual({
      backend: 'nftables',
      why: 'NATIVE_NFTABLES is true',
      warnings: [],
    })
    expect(everything()).toBe('')
  })

  test.each([
    ['istio-inpod-probes-v4', 'inet', false],
    ['istio-inpod-probes-v6', 'inet6', true],
  ])('are not chosen while the set %s exists', async (name, family, ipv6) => {
    inside(`ipset create ${name} hash:ip family ${family} comment`)
    const { backend, warnings } = await choose({ nativeNftables: true, ipv6 })
    expect(backend).toBe('iptables-nft')
    expect(warnings).toEqual([
      expect.stringMatching(/^iptables artifacts detected \(IPsets exist\)\. Overriding nftables/),
    ])
  })

  test('are chosen if the only set left belongs to a disabled family', async () => {
    inside('ipset create istio-inpod-probes-v6 hash:ip family inet6 comment')
    expect(await choose({ nativeNftables: true, ipv6: false })).toMatchObject({ backend: 'nftables', warnings: [] })
  })
})

describe.skipIf(!hasAll)('a start with another back end removes earlier rules', () => {
  const ways = {
    nft: { backend: 'iptables-nft' },
    legacy: { backend: 'iptables-legacy' },
    native: { native: true },
  } as const
  const kinds = ['nft', 'legacy', 'native'] as const
  const changes = kinds.flatMap((before) =>
    kinds.filter((after) => after !== before).map((after) => [before, after] as const),
  )
  const found = (place: Netns) =>
    kinds.filter((kind) => {
      if (kind === 'native') return run(place, 'nft list tables').includes('istio-ambient')
      return ['iptables', 'ip6tables'].some((stem) => run(place, `${stem}-${kind}-save`).includes('ISTIO_'))
    })

  test.each(changes)('in a pod: %s becomes %s', async (before, after) => {
    await enrolNamespace(node, capture, ways[before])
    expect(found(node)).toEqual([before])
    expect(await namespaceDrift(node, capture, ways[after])).not.toEqual([])
    await enrolNamespace(node, capture, ways[after])
    expect(found(node)).toEqual([after])
    expect(await namespaceDrift(node, capture, ways[after])).toEqual([])
  })

  test.each(changes)('on the node: %s becomes %s', async (before, after) => {
    const on = (kind: (typeof kinds)[number]) =>
      nodeProbes(
        { ipv6: true, probeSource: defaultProbeSource },
        { netns: node, ...(kind === 'native' ? { native: { kubeletUid: 0 } } : ways[kind]) },
      )
    await on(before).apply()
    expect(await on(after).drift()).not.toEqual([])
    await on(after).apply()
    expect(found(node)).toEqual([after])
    expect(await on(after).drift()).toEqual([])
  })
})
