import fc from 'fast-check'
import { expect, test } from 'vitest'
import { drawn, seed, times } from '../../../../test/deep.ts'
import { mode } from '../../../istio-rules/test/ambient-pods.ts'
import type { Backend } from '../../src/backend.ts'
import { backends, capturedBy, damage, entriesOf, settingsFor } from './backends.ts'
import { type MeshNode, meshNode, type TestPod } from './mesh-node.ts'
import type { RecordingZtunnel } from './recording-ztunnel.ts'

const LIVES = times(3)
const STEPS = 10
const PODS = 4
const pollOptions = { timeout: 30_000, interval: 20 }

/** One step. Numbers choose the pod. */
type Step =
  | { readonly type: 'label'; readonly pod: number; readonly value: 'ambient' | 'none' | undefined }
  | { readonly type: 'namespace'; readonly value: 'ambient' | undefined }
  | { readonly type: 'event' | 'sidecar' | 'plain' | 'complete' | 'annotate' | 'drift'; readonly pod: number }
  | { readonly type: 'restart'; readonly backend: Backend | undefined }
  | { readonly type: 'ztunnel' }

const pod = fc.nat({ max: PODS - 1 })
const backend = fc.constantFrom(...backends)
const step: fc.Arbitrary<Step> = fc.oneof(
  fc.record({ type: fc.constant('label' as const), pod, value: fc.constantFrom('ambient', 'none', undefined) }),
  fc.record({ type: fc.constant('namespace' as const), value: fc.constantFrom('ambient', undefined) }),
  fc.record({ type: fc.constantFrom('event', 'sidecar', 'plain', 'complete', 'annotate', 'drift'), pod }),
  fc.record({ type: fc.constant('restart' as const), backend: fc.option(backend, { nil: undefined, freq: 3 }) }),
  fc.record({ type: fc.constant('ztunnel' as const) }),
)

/** Expected state of a pod, without any agent. */
interface Model {
  label: 'ambient' | 'none' | undefined
  sidecar: boolean
  done: boolean
}

const belongs = ({ label, sidecar, done }: Model, namespace: string | undefined): boolean =>
  !done && !sidecar && (label === 'ambient' || (label !== 'none' && namespace === 'ambient'))

test(
  `kernel, sets, annotations and ztunnel agree with a model, whatever happens in whatever order (CNI_SEED=${seed})`,
  async () => {
    await fc.assert(
      fc.asyncProperty(backend, fc.array(step, { minLength: STEPS, maxLength: STEPS }), async (first, steps) => {
        await using node = await meshNode({ podRoundMs: 200 })
        node.api.setNamespace('life', {})
        let asked = first
        let agent = await node.start(settingsFor(asked))
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
            asked = each.backend ?? asked
            agent = await node.start(settingsFor(asked))
          } else if (each.type === 'ztunnel') {
            ztunnel[Symbol.dispose]()
            ztunnel = node.ztunnel()
          } else if (chosen?.on !== undefined && chosen.model !== undefined) {
            change(node, { on: chosen.on, model: chosen.model, step: each, backend: asked })
          }
          // Some steps start before the previous step has ended, others after it.
          if ('pod' in each && each.pod % 2 === 0) await new Promise((resolve) => setImmediate(resolve))
        }
        await expect.poll(() => agent.problem(), pollOptions).toBeUndefined()
        // An agent does not switch to native rules while rules of iptables are left.
        const used = agent.status().backend ?? asked
        const inMesh = pods.filter((_, at) =>
          belongs(models[at] ?? { label: 'none', sidecar: true, done: true }, namespace),
        )
        const expected = {
          counts: [inMesh.length, 0],
          annotated: inMesh.map(({ name }) => name),
          entries: inMesh.flatMap(({ uid, addresses }) => addresses.map((ip) => `${ip} ${uid}`)).toSorted(),
          ztunnel: inMesh.map(({ uid }) => uid).toSorted(),
          // An agent leaves the namespace of an ended pod as it is.
          captured: pods.map((one, at) => (models[at]?.done ? 'ended' : inMesh.includes(one) ? 'wholly' : 'no')),
        }
        await expect
          .poll(
            async () => ({
              counts: [agent.status().enrolled, agent.status().pending],
              annotated: pods.filter((one) => one.annotation() === 'enabled').map(({ name }) => name),
              entries: await entriesOf(node.netns, used),
              ztunnel: [...ztunnel.pods.keys()].toSorted(),
              captured: await Promise.all(
                pods.map((one, at) => (models[at]?.done ? 'ended' : capturedBy(one.netns, used))),
              ),
            }),
            pollOptions,
          )
          .toEqual(expected)
      }),
      { ...drawn, numRuns: LIVES, endOnFailure: true },
    )
  },
  60_000 + LIVES * 60_000,
)

function change(
  node: MeshNode,
  {
    on,
    model,
    step: each,
    backend,
  }: { readonly on: TestPod; readonly model: Model; readonly step: Step; readonly backend: Backend },
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
      // Ignores the answer.
      void node.hand(on).catch(() => {})
      return
    case 'drift':
      void damage(on.netns, backend).catch(() => {})
  }
}
