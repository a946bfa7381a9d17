import { readdirSync, readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { type Netns, netns } from '@cni/netns'
import { runPlugin } from '@cni/skel'
import fc from 'fast-check'
import { expect, test, vi } from 'vitest'
import { deep, drawn, seed, times } from '../../../../test/deep.ts'
import { configuration } from '../../../../test/peers/plugin/plugin-pair.ts'
import { sandbox } from '../../../../test/peers/sandbox.ts'
import { type PodCase, podCase } from '../../../istio-rules/test/random-pod.ts'
import { plugin } from '../../src/plugin/plugin.ts'
import { meshPod } from '../../src/testing/pods.ts'
import { servingAgent } from '../serve/serve-agent.ts'
import { cniEnv } from '../stage/cni-call.ts'
import { legacyPath } from '../stage/legacy-path.ts'
import { stage } from '../stage/stage.ts'
import { fixture, prevResult } from './fixture.ts'

const runs = times(20)

const backends = ['nft', 'legacy', 'nftables'] as const

test('a repeated ADD of a random pod changes nothing, with any back end, with and without an agent', {
  timeout: 60_000 + runs * 4000,
}, async () => {
  await using it = await stage({ api: {} }, (it) => it)
  const { api, root: runDir } = it
  const legacy = legacyPath(runDir)
  api.writeKubeconfig(runDir)
  await using agent = await servingAgent(runDir, [])
  let redirected = 0
  await fc.assert(
    fc
      .asyncProperty(podCase, fc.constantFrom(...backends), fc.boolean(), async (one, backend, served) => {
        api.setPod(one.pod)
        await agent.setPod(one.pod)
        if (backend === 'legacy') vi.stubEnv('PATH', legacy)
        const conf = {
          ...one.conf,
          native_nftables: backend === 'nftables',
          ...(served ? {} : { agent: 'never' }),
        }
        await using target = await sandbox(one)
        rmSync(join(runDir, 'attachments'), { recursive: true, force: true })
        const first = await add({ ...one, conf }, target, runDir)
        const before = await everything(target, runDir)
        const second = await add({ ...one, conf }, target, runDir)
        expect(second).toEqual(first)
        expect(await everything(target, runDir)).toEqual(before)
        if (before.records.length > 0) redirected += 1
      })
      .afterEach(() => void vi.unstubAllEnvs()),
    { numRuns: runs, ...drawn },
  )
  expect(redirected).toBeGreaterThan(runs / 10)
})

const modes = ['TPROXY', 'REDIRECT']
const inbound = ['', '*', '80,443']
const families = [['10.1.2.3/24'], ['fd00::5/64'], ['10.1.2.3/24', 'fd00::5/64']]

const combinations = modes.flatMap((mode, m) =>
  inbound.flatMap((ports, p) =>
    families.flatMap((ips, f) =>
      deep || (m + p + f + seed) % families.length === 0 ? [[mode, ports, ips] as const] : [],
    ),
  ),
)

test.each(combinations)(
  'a repeated ADD changes nothing: %s, inbound ports "%s", %j, iptables and native',
  async (mode, ports, ips) => {
    const env = [{ name: 'ISTIO_DUAL_STACK', value: '1' }]
    const annotations = {
      'sidecar.istio.io/interceptionMode': mode,
      'traffic.sidecar.istio.io/includeInboundPorts': ports,
    }
    for (const native of [false, true]) {
      await using node = await fixture(meshPod({ annotations, proxy: { env } }))
      const conf = { native_nftables: native, prevResult: prevResult(...ips) }
      expect(await node.call('ADD', { conf })).toMatchObject({ exitCode: 0 })
      const before = await everything(node.netns, node.runDir)
      expect(await node.call('ADD', { conf })).toMatchObject({ exitCode: 0 })
      expect(await everything(node.netns, node.runDir)).toEqual(before)
    }
  },
)

async function add(one: PodCase, target: Netns, runDir: string) {
  const { namespace, name } = one.pod.metadata
  const { exitCode, stdout } = await runPlugin(plugin, {
    env: {
      PATH: process.env.PATH,
      ...one.env,
      ...cniEnv('ADD', { netns: target.path, container: 'pod', namespace, name, more: [one.args] }),
    },
    stdin: () => JSON.stringify(configuration(one, runDir)),
  })
  return { exitCode, stdout }
}

/** Prints handles, because a rewritten rule has a new handle. */
const READ = [
  'nft --handle --stateless list ruleset',
  'iptables-legacy-save | grep -v "^#" | sed "s/\\[.*//"',
  'ip6tables-legacy-save | grep -v "^#" | sed "s/\\[.*//"',
  "printf 'rule show\\nroute show table all\\n' | ip -4 -batch -",
  "printf 'rule show\\nroute show table all\\n' | ip -6 -batch -",
  'ip -o address show | sed "s/valid_lft.*//"',
].join('\n')

const PATH = '/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin'

/** All state that an ADD may write, as text. */
async function everything(target: Netns, runDir: string) {
  const { stdout } = await netns.exec(target, ['sh', '-c', READ], { env: { PATH } })
  return { namespace: stdout, records: recordsIn(join(runDir, 'attachments')) }
}

function recordsIn(folder: string): readonly string[] {
  try {
    return readdirSync(folder).map((file) => `${file}: ${readFileSync(join(folder, file), 'utf8')}`)
  } catch {
    return [] // no record was written
  }
}
