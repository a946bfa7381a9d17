import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { addPlugin, callPlugin } from '@cni/invoke'
import { type ApiServer, startApiServer } from '@cni/kube/testing'
import { type Netns, netns } from '@cni/netns'
import { toErrorDocument } from '@cni/types'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { meshPod, type PodOptions } from '../../packages/istio-redirect/src/testing/pods.ts'
import { DUAL_STACK } from '../../packages/istio-redirect/test/e2e/plugin/pod.ts'
import { podWith } from '../../packages/istio-redirect/test/stage/kernel.ts'
import { legacyPath } from '../../packages/istio-redirect/test/stage/legacy-path.ts'
import { rulesIn } from './pod-life.ts'
import { other, PROGRAMS, type Release } from './upgrade-node.ts'

interface Kind {
  readonly pod?: PodOptions
  readonly conf?: Readonly<Record<string, unknown>>
  readonly isLegacy?: boolean
}

const KINDS: Readonly<Record<string, Kind>> = {
  'iptables of nf_tables, both families': { pod: { proxy: DUAL_STACK } },
  'iptables of nf_tables, IPv4': {},
  'iptables of legacy': { pod: { proxy: DUAL_STACK }, isLegacy: true },
  'native nftables': { pod: { proxy: DUAL_STACK }, conf: { native_nftables: true } },
  TPROXY: { pod: { proxy: DUAL_STACK, annotations: { 'sidecar.istio.io/interceptionMode': 'TPROXY' } } },
  'captured DNS': { pod: { proxy: { env: [{ name: 'ISTIO_META_DNS_CAPTURE', value: 'true' }] } } },
}

let folder: string
let api: ApiServer
beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'istio-upgrade-'))
  api = await startApiServer()
  api.writeKubeconfig(folder)
})
afterEach(async () => {
  await api.close()
  rmSync(folder, { recursive: true })
})

const records = (): string[] => readdirSync(join(folder, 'attachments'))

/** The plugins of both releases, for one pod. */
function pluginsFor(pod: Netns, { pod: options = {}, conf = {}, isLegacy = false }: Kind = {}) {
  api.setPod(meshPod(options))
  const env = { PATH: isLegacy ? legacyPath(folder) : process.env.PATH }
  const prevResult = {
    cniVersion: '1.1.0',
    interfaces: [{ name: 'eth0', sandbox: pod.path }],
    ips: [{ address: '10.1.2.3/24' }, { address: 'fd00::3/64' }],
  }
  const whole = { cniVersion: '1.1.0', name: 'pods', type: 'istio-cni', cni_agent_run_dir: folder, prevResult, ...conf }
  const call = (release: Release, ifName = 'eth0') => ({
    containerID: 'c0ffee',
    netns: pod.path,
    ifName,
    args: [
      ['IgnoreUnknown', '1'],
      ['K8S_POD_NAMESPACE', 'demo'],
      ['K8S_POD_NAME', 'web'],
    ] as const,
    path: [PROGRAMS[release]],
  })
  const settings = { env, stderr: () => {} }
  return {
    add: (release: Release, ifName?: string) => addPlugin('istio-cni', whole, call(release, ifName), settings),
    check: (release: Release, ifName?: string) =>
      callPlugin('CHECK', 'istio-cni', whole, call(release, ifName), settings),
    del: (release: Release, ifName?: string) => callPlugin('DEL', 'istio-cni', whole, call(release, ifName), settings),
    collect(release: Release, valid: readonly object[]) {
      const { prevResult: _, ...rest } = whole
      return callPlugin('GC', 'istio-cni', { ...rest, 'cni.dev/valid-attachments': valid }, call(release), settings)
    },
  }
}

/** State besides rules that ADD may change. */
async function networkIn(pod: Netns): Promise<string[]> {
  const looks = [['rule'], ['-6', 'rule'], ['addr', 'show', 'lo'], ['route', 'show', 'table', 'all']]
  return Promise.all(looks.map(async (words) => (await netns.exec(pod, ['ip', ...words])).stdout))
}

const flush = async (pod: Netns, { isLegacy = false }: Kind): Promise<void> => {
  await netns.exec(pod, isLegacy ? ['iptables-legacy', '-t', 'nat', '-F'] : ['nft', 'flush', 'ruleset'])
}

describe.each<Release>(['released', 'current'])('an ADD by the plugin of the release (%s)', (by) => {
  const then = other(by)

  test.each(Object.entries(KINDS))('passes CHECK, ADD and DEL of the other release: %s', async (_, kind) => {
    await using pod = await podWith('10.1.2.3', 'fd00::3')
    const before = await networkIn(pod)
    const plugins = pluginsFor(pod, kind)
    await plugins.add(by)
    const [rules, network] = [await rulesIn(pod), await networkIn(pod)]
    expect(rules).toMatch(/istio[-_]output/i)
    await plugins.check(then)

    await flush(pod, kind)
    const drift = await plugins.check(then).catch(toErrorDocument)
    expect(drift).toMatchObject({ code: 100 })

    await plugins.add(then)
    expect([await rulesIn(pod), await networkIn(pod)]).toEqual([rules, network])
    await plugins.check(by)
    await plugins.add(by)
    await plugins.check(then)

    await plugins.del(then)
    expect([await rulesIn(pod), await networkIn(pod)]).toEqual([expect.not.stringMatching(/istio/i), before])
    expect(records()).toEqual([])
    await plugins.del(by)
  })

  test.each(Object.entries(KINDS))('is removed by its own DEL after ADDs by both releases: %s', async (_, kind) => {
    await using pod = await podWith('10.1.2.3', 'fd00::3')
    const before = await networkIn(pod)
    const plugins = pluginsFor(pod, kind)
    await plugins.add(then)
    await plugins.add(by)
    await plugins.check(then)
    await plugins.del(by)
    expect([await rulesIn(pod), await networkIn(pod)]).toEqual([expect.not.stringMatching(/istio/i), before])
    expect(records()).toEqual([])
  })

  test('is completed or removed by the other release after a kill before its rules were complete', async () => {
    await using pod = await podWith('10.1.2.3', 'fd00::3')
    const plugins = pluginsFor(pod)
    for (const next of ['add', 'del'] as const) {
      await plugins.add(by)
      const rules = await rulesIn(pod)
      const [name = ''] = records()
      const file = join(folder, 'attachments', name)
      writeFileSync(file, readFileSync(file, 'utf8').replace('"applied":true', '"applied":false'))
      await netns.exec(pod, ['nft', 'flush', 'table', 'ip', 'nat'])
      if (next === 'add') {
        await plugins.add(then)
        await plugins.check(by)
        expect(await rulesIn(pod)).toBe(rules)
      }
      await plugins.del(then)
      expect([await rulesIn(pod), records()]).toEqual([expect.not.stringMatching(/istio/i), []])
    }
  })

  test('is kept by the GC of the other release while it is valid, and removed later', async () => {
    await using pod = await podWith('10.1.2.3', 'fd00::3')
    const plugins = pluginsFor(pod)
    await plugins.add(by)
    await plugins.collect(then, [{ containerID: 'c0ffee', ifname: 'eth0' }])
    await plugins.check(then)
    await plugins.collect(then, [])
    expect(records()).toEqual([])
  })
})

test('rules that two attachments share, one of each release, are removed with the last attachment', async () => {
  await using pod = await podWith('10.1.2.3', 'fd00::3')
  const plugins = pluginsFor(pod)
  await plugins.add('released', 'eth0')
  await plugins.add('current', 'net1')
  const rules = await rulesIn(pod)
  await plugins.del('current', 'eth0')
  expect(await rulesIn(pod)).toBe(rules)
  await plugins.check('current', 'net1')
  await plugins.del('current', 'net1')
  expect(await rulesIn(pod)).not.toMatch(/istio/i)
})
