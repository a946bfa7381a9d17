import { spawn, spawnSync } from 'node:child_process'
import { copyFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { startZtunnel } from '../../src/testing/node/index.ts'
import { plainPod, type StoredPod } from '../../src/testing/pods.ts'
import { mode } from '../ambient-pods.ts'
import { eventually } from '../e2e/agent-node.ts'
import { onNode } from '../pods-fixture.ts'
import { type Pod, podsOn } from './pod-life.ts'
import { killAt, stepsOf } from './steps.ts'
import { streamOf } from './stream.ts'
import { other, type Release, stop, type UpgradeNode, upgradeNode } from './upgrade-node.ts'

const SELECTOR = `
- podSelector: { matchExpressions: [{ key: ${mode}, operator: NotIn, values: [none] }] }
  namespaceSelector: { matchLabels: { ${mode}: ambient } }
`

function stored(name: string, { uid, isMesh }: { readonly uid: string; readonly isMesh: boolean }): StoredPod {
  const pod = onNode(plainPod({ name, namespace: 'demo', ...(!isMesh && { labels: { [mode]: 'none' } }) }))
  return { ...pod, metadata: { ...pod.metadata, uid }, spec: { ...pod.spec, serviceAccountName: 'default' } }
}

const onHost = (...argv: [string, ...string[]]): string =>
  spawnSync(argv[0], argv.slice(1), { encoding: 'utf8' }).stdout

/** A node in ambient mode with a ztunnel. */
async function ambient(env: Readonly<Record<string, string>>) {
  const stack = new AsyncDisposableStack()
  const node: UpgradeNode = stack.use(
    await upgradeNode({ AMBIENT_ENABLED: 'true', AMBIENT_IPV6: 'true', AMBIENT_ENABLEMENT_SELECTOR: SELECTOR, ...env }),
  )
  // Rules of nftables name the user of kubelet, whose process is known by its name.
  copyFileSync('/usr/bin/sleep', node.files.path('kubelet'))
  const kubelet = spawn(node.files.path('kubelet'), ['infinity'], { stdio: 'ignore' })
  stack.defer(() => void kubelet.kill('SIGKILL'))
  const path = node.files.path('ztunnel.sock')
  node.files.env.ZTUNNEL_UDS_ADDRESS = path
  node.api.setNamespace('demo', { [mode]: 'ambient' })
  const ztunnel = stack.use(startZtunnel({ path }))
  const pods = podsOn(node, { store: stored, isAmbient: true })
  return {
    node,
    pods,
    /** The pods of the mesh are those, for ztunnel as well. */
    async expectInMesh(...wanted: readonly Pod[]) {
      for (const { uid, name } of wanted) {
        await eventually(() => ztunnel.ready && ztunnel.pods.has(uid), `ztunnel has ${name}`, 30_000)
        expect(node.api.getPod('demo', name)?.metadata.annotations).toMatchObject({
          'ambient.istio.io/redirection': 'enabled',
        })
      }
    },
    /** The mesh is empty. */
    expectNoneInMesh: () => eventually(() => ztunnel.ready && ztunnel.pods.size === 0, 'ztunnel has no pod', 30_000),
    [Symbol.asyncDispose]: () => stack.disposeAsync(),
  }
}

test.each([
  ['iptables', {}],
  ['native nftables', { NATIVE_NFTABLES: 'true' }],
])('an ambient mesh (%s) keeps its pods while the agent rolls to this commit and back', async (name, env) => {
  await using mesh = await ambient(env)
  const { node, pods } = mesh
  let agent = await node.start('released')
  await using resident = await pods.add('resident')
  await using stream = streamOf(pods, 'pod')
  for (const [index, release] of (['current', 'released', 'current'] as const).entries()) {
    await using guest = await pods.add(`guest-${index}`)
    await mesh.expectInMesh(resident, guest)
    await stop(agent)
    agent = await node.start(release)
    await mesh.expectInMesh(resident, guest)
    for (const pod of [resident, guest]) await pods.check(pod)
    await pods.del(guest)
  }
  const streamed = await stream.stop()
  await mesh.expectInMesh(resident)
  await pods.del(resident)
  node.api.deletePod('demo', 'resident')
  await mesh.expectNoneInMesh()
  process.stderr.write(`ambient, ${name}: ${JSON.stringify({ ...pods.counts, streamed })}\n`)
  expect([node.leases(), node.records(), node.runtime.attachments()]).toEqual([[], [], []])
  node.api.setDaemonSet('istio-system', 'istio-cni-node')
  await stop(agent)
  expect(onHost('nft', 'list', 'ruleset')).not.toMatch(/istio/i)
  expect(onHost('ipset', 'list', '-name')).not.toMatch(/istio/i)
})

test.each<Release>(['current', 'released'])(
  'the agent (%s) of an ambient mesh takes over after one that was killed at any step of its start',
  async (release) => {
    const before = other(release)
    await using mesh = await ambient({})
    const { node, pods } = mesh
    const first = await node.start(before)
    await using resident = await pods.add('resident')
    await stop(first)
    const steps = await stepsOf(node, release)
    for (const step of steps) {
      await killAt(node, release, step)
      await pods.check(resident)
      const agent = await node.start(before)
      await mesh.expectInMesh(resident)
      await pods.check(resident)
      await stop(agent)
    }
    await pods.del(resident)
    expect(node.leases()).toEqual([])
  },
  300_000,
)
