import { iptables } from '@cni/iptables'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { nodeProbes } from '../../src/agent/ambient/node-probes.ts'
import { defaultProbeSource } from '../../src/agent/ambient/pod-rules.ts'
import { mode } from '../ambient-pods.ts'
import { type MeshNode, meshNode, type TestPod } from './mesh-node.ts'
import type { RecordingZtunnel } from './recording-ztunnel.ts'

/** `CNI_AMBIENT_LIVES=100` runs more of them. */
const LIVES = Number(process.env.CNI_AMBIENT_LIVES ?? 3)
const STEPS = 10
const PODS = 4
const patience = { timeout: 30_000 }

/** What can happen; numbers choose the pod. */
type Step =
  | { readonly type: 'label'; readonly pod: number; readonly value: 'ambient' | 'none' | undefined }
  | { readonly type: 'namespace'; readonly value: 'ambient' | undefined }
  | { readonly type: 'event' | 'sidecar' | 'plain' | 'complete' | 'annotate' | 'drift'; readonly pod: number }
  | { readonly type: 'restart' | 'ztunnel' }

const pod = fc.nat({ max: PODS - 1 })
const step: fc.Arbitrary<Step> = fc.oneof(
  fc.record({ type: fc.constant('label' as const), pod, value: fc.constantFrom('ambient', 'none', undefined) }),
  fc.record({ type: fc.constant('namespace' as const), value: fc.constantFrom('ambient', undefined) }),
  fc.record({ type: fc.constantFrom('event', 'sidecar', 'plain', 'complete', 'annotate', 'drift'), pod }),
  fc.record({ type: fc.constantFrom('restart', 'ztunnel') }),
)

/** What is known of a pod without any agent. */
interface Model {
  label: 'ambient' | 'none' | undefined
  sidecar: boolean
  done: boolean
}

const belongs = ({ label, sidecar, done }: Model, namespace: string | undefined): boolean =>
  !done && !sidecar && (label === 'ambient' || (label !== 'none' && namespace === 'ambient'))

async function hasRules({ netns }: TestPod): Promise<boolean> {
  const { ipv4 } = await iptables(netns, { backend: 'nft' }).snapshot()
  return ipv4?.tables.get('nat')?.has('ISTIO_OUTPUT') === true
}

async function entries(node: MeshNode): Promise<string[]> {
  const { sets } = nodeProbes({ ipv6: true, probeSource: defaultProbeSource }, { netns: node.netns, backend: 'nft' })
  return (await sets.list()).map(({ address, uid }) => `${address} ${uid}`).toSorted()
}

test('kernel, sets, annotations and ztunnel agree with a model, whatever happens in whatever order', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: STEPS, maxLength: STEPS }), async (steps) => {
      await using node = await meshNode({ podRoundMs: 200 })
      node.api.setNamespace('life', {})
      let agent = await node.start()
      let ztunnel: RecordingZtunnel = node.ztunnel()
      const pods = await Promise.all(
        Array.from({ length: PODS }, (_, at) => node.pod({ name: `pod-${at}`, namespace: 'life' })),
      )
      const models = pods.map((): Model => ({ label: undefined, sidecar: false, done: false }))
      let namespace: string | undefined
      for (const each of steps) {
        const chosen = 'pod' in each ? { on: pods[each.pod], model: models[each.pod] } : undefined
        if (each.type === 'namespace') {
          namespace = each.value
          node.api.setNamespace('life', namespace === undefined ? {} : { [mode]: namespace })
        } else if (each.type === 'restart') {
          await agent.stop('followed')
          agent = await node.start()
        } else if (each.type === 'ztunnel') {
          ztunnel[Symbol.dispose]()
          ztunnel = node.ztunnel()
        } else if (chosen?.on !== undefined && chosen.model !== undefined) {
          change(node, { on: chosen.on, model: chosen.model, step: each })
        }
        // Some steps meet what the last one left half done, some do not.
        if ('pod' in each && each.pod % 2 === 0) await new Promise((resolve) => setImmediate(resolve))
      }
      await expect.poll(() => agent.problem(), patience).toBeUndefined()
      const inMesh = pods.filter((_, at) =>
        belongs(models[at] ?? { label: 'none', sidecar: true, done: true }, namespace),
      )
      const expected = {
        annotated: inMesh.map(({ name }) => name),
        entries: inMesh.flatMap(({ uid, addresses }) => addresses.map((ip) => `${ip} ${uid}`)).toSorted(),
        ztunnel: inMesh.map(({ uid }) => uid).toSorted(),
        // Of a pod that has ended nobody takes out what is in its namespace.
        rules: pods.filter((one, at) => inMesh.includes(one) || models[at]?.done).map(({ name }) => name),
      }
      await expect
        .poll(
          async () => ({
            annotated: pods.filter((one) => one.annotation() === 'enabled').map(({ name }) => name),
            entries: await entries(node),
            ztunnel: [...ztunnel.pods.keys()].toSorted(),
            rules: (
              await Promise.all(
                pods.map(async (one, at) => (models[at]?.done || (await hasRules(one)) ? [one.name] : [])),
              )
            ).flat(),
          }),
          patience,
        )
        .toEqual(expected)
      expect(agent.status()).toMatchObject({ enrolled: inMesh.length, pending: 0 })
    }),
    { numRuns: LIVES, endOnFailure: true },
  )
}, 600_000)

function change(
  node: MeshNode,
  { on, model, step: each }: { readonly on: TestPod; readonly model: Model; readonly step: Step },
): void {
  switch (each.type) {
    case 'label':
      model.label = each.value
      on.change({ labels: { [mode]: each.value } })
      return
    case 'sidecar':
      model.sidecar = true
      on.change({ annotations: { 'sidecar.istio.io/status': '{}' } })
      return
    case 'plain':
      model.sidecar = false
      on.change({ annotations: { 'sidecar.istio.io/status': undefined } })
      return
    case 'complete':
      model.done = true
      on.change({ status: { phase: 'Succeeded' } })
      return
    case 'annotate':
      on.change({ annotations: { 'ambient.istio.io/redirection': 'disabled' } })
      return
    case 'event':
      // Whatever it is answered.
      void node.hand(on).catch(() => {})
      return
    case 'drift':
      void iptables(on.netns, { backend: 'nft' })
        .remove({ chains: [{ table: 'nat', name: 'ISTIO_OUTPUT' }], rules: [] })
        .catch(() => {})
  }
}
