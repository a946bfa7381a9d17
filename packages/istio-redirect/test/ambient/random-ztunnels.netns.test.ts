import fc from 'fast-check'
import { expect, test } from 'vitest'
import { drawn, seed, times } from '../../../../test/deep.ts'
import { mode } from '../../../istio-rules/test/ambient-pods.ts'
import { redirectionAnnotation } from '../../src/agent/ambient/pods/annotation.ts'
import type { AmbientMode } from '../../src/agent/ambient/start-ambient.ts'
import type { Backend } from '../../src/backend.ts'
import type { Ztunnel } from '../../src/testing/node/ztunnel/ztunnel.ts'
import { backends, capturedBy, entriesOf, settingsFor } from './backends.ts'
import { type MeshNode, meshNode, type TestPod } from './mesh-node.ts'

/** Random lives of a node. */
const runs = times(6)

const pollOptions = { timeout: 30_000, interval: 20 }
const namespaces = ['shop', 'plain'] as const
const sidecar = 'sidecar.istio.io/status'

type Action =
  | { readonly do: 'pod'; readonly namespace: (typeof namespaces)[number]; readonly label: Label }
  | { readonly do: 'label'; readonly pod: number; readonly label: Label }
  | { readonly do: 'namespace'; readonly namespace: (typeof namespaces)[number]; readonly label: Label }
  | { readonly do: 'sidecar'; readonly pod: number; readonly present: boolean }
  | { readonly do: 'annotation'; readonly pod: number; readonly value: string | undefined }
  | { readonly do: 'complete' | 'delete' | 'event'; readonly pod: number }
  | { readonly do: 'restart' | 'kill ztunnel' | 'upgrade ztunnel' | 'settle' }
type Label = 'ambient' | 'none' | undefined

const label = fc.constantFrom<Label>('ambient', 'none', undefined)
const pod = fc.nat(3)
const namespace = fc.constantFrom(...namespaces)
const action: fc.Arbitrary<Action> = fc.oneof(
  { weight: 3, arbitrary: fc.record({ do: fc.constant('pod' as const), namespace, label }) },
  { weight: 3, arbitrary: fc.record({ do: fc.constant('label' as const), pod, label }) },
  { weight: 2, arbitrary: fc.record({ do: fc.constant('namespace' as const), namespace, label }) },
  { weight: 2, arbitrary: fc.record({ do: fc.constant('event' as const), pod }) },
  fc.record({ do: fc.constant('sidecar' as const), pod, present: fc.boolean() }),
  fc.record({
    do: fc.constant('annotation' as const),
    pod,
    value: fc.constantFrom(undefined, 'enabled', 'pending', 'disabled'),
  }),
  fc.record({ do: fc.constantFrom('complete' as const, 'delete' as const), pod }),
  fc.record({
    do: fc.constantFrom('restart' as const, 'kill ztunnel' as const, 'upgrade ztunnel' as const, 'settle' as const),
  }),
)

/** Expected state of a pod. */
interface ModelPod {
  readonly real: TestPod
  label: Label
  sidecar: boolean
  life: 'running' | 'completed' | 'deleted'
}

/** Expected state of the node. It changes only itself, not the pods that it refers to. */
class Model {
  readonly pods: ModelPod[] = []
  readonly labels = new Map<string, Label>([['shop', 'ambient']])

  inMesh({ real, label: own, sidecar: hasSidecar, life }: ModelPod): boolean {
    if (life !== 'running' || hasSidecar) return false
    return own === 'ambient' || (own !== 'none' && this.labels.get(real.namespace) === 'ambient')
  }
}

/** The real node, its pods and ztunnels. */
class World {
  readonly model = new Model()
  readonly node: MeshNode
  readonly backend: Backend
  agent: AmbientMode
  ztunnel: Ztunnel
  /** Calls of plugins without an answer yet. */
  readonly #calls: Promise<unknown>[] = []

  constructor(node: MeshNode, backend: Backend, agent: AmbientMode) {
    this.node = node
    this.backend = backend
    this.agent = agent
    this.ztunnel = node.listeningZtunnel()
  }

  async act(given: Action): Promise<void> {
    const { node, model } = this
    const of = 'pod' in given ? model.pods[given.pod % model.pods.length] : undefined
    switch (given.do) {
      case 'pod': {
        if (model.pods.length === 4) return
        const name = `pod-${model.pods.length}`
        const real = await node.pod({ name, namespace: given.namespace, labels: labelled(given.label) })
        model.pods.push({ real, label: given.label, sidecar: false, life: 'running' })
        return
      }
      case 'namespace':
        model.labels.set(given.namespace, given.label)
        node.api.setNamespace(given.namespace, labelled(given.label))
        return
      case 'restart':
        await this.agent.stop('followed')
        this.agent = await node.start(settingsFor(this.backend))
        return
      case 'kill ztunnel':
        await this.ztunnel.kill()
        this.ztunnel = node.listeningZtunnel()
        return
      case 'upgrade ztunnel': {
        const older = this.ztunnel
        this.ztunnel = node.listeningZtunnel()
        await expect.poll(() => this.ztunnel.ready, pollOptions).toBe(true)
        await older.stop()
        return
      }
      case 'settle':
        await this.agrees()
        return
    }
    if (of === undefined || of.life === 'deleted') return
    const { real } = of
    switch (given.do) {
      case 'label':
        of.label = given.label
        real.change({ labels: { [mode]: given.label ?? '' } })
        return
      case 'sidecar':
        of.sidecar = given.present
        real.change({ annotations: { [sidecar]: given.present ? '{}' : undefined } })
        return
      case 'annotation':
        real.change({ annotations: { [redirectionAnnotation]: given.value } })
        return
      case 'event':
        // The result is unknown in advance: other changes happen at the same time.
        this.#calls.push(node.hand(real).catch(() => undefined))
        return
      case 'complete':
        of.life = 'completed'
        real.change({ status: { phase: 'Succeeded' } })
        return
      case 'delete':
        of.life = 'deleted'
        real.end()
        real.delete()
    }
  }

  /** Waits until kernel, sets, annotations and ztunnel agree with the model, and stay so. */
  async agrees(): Promise<void> {
    await Promise.all(this.#calls.splice(0))
    await expect.poll(() => this.agent.problem(), pollOptions).toBeUndefined()
    await expect.poll(() => this.ztunnel.ready, pollOptions).toBe(true)
    await expect.poll(() => this.seen(), pollOptions).toEqual(this.wanted())
  }

  wanted(): object {
    const { model } = this
    const inMesh = model.pods.filter((each) => model.inMesh(each)).map(({ real }) => real)
    return {
      annotations: model.pods.filter(exists).map((each) => (model.inMesh(each) ? 'enabled' : undefined)),
      captured: model.pods.filter(isRunning).map((each) => (model.inMesh(each) ? 'wholly' : 'no')),
      sets: inMesh.flatMap(({ uid, addresses }) => addresses.map((address) => `${address} ${uid}`)).toSorted(),
      ztunnel: inMesh.map(({ uid, netns }) => `${uid} ${netns.dev}:${netns.ino}`).toSorted(),
    }
  }

  async seen(): Promise<object> {
    const { model, node, ztunnel, backend } = this
    return {
      annotations: model.pods.filter(exists).map(({ real }) => statusOf(real)),
      // The rules of ended pods may stay. Their namespaces have no traffic.
      captured: await Promise.all(model.pods.filter(isRunning).map(({ real }) => capturedBy(real.netns, backend))),
      sets: await entriesOf(node.netns, backend),
      ztunnel: [...ztunnel.pods.values()].map((each) => `${each.uid} ${each.problem ?? each.namespace}`).toSorted(),
    }
  }
}

/** The pod's annotation. `disabled` comes from a user, and stays where the agent has no state to write. */
const statusOf = (pod: TestPod) => (pod.annotation() === 'disabled' ? undefined : pod.annotation())
const exists = ({ life }: ModelPod) => life !== 'deleted'
const isRunning = ({ life }: ModelPod) => life === 'running'
const labelled = (value: Label) => (value === undefined ? {} : { [mode]: value })

test(`after random changes to pods, namespaces, agents and ztunnels the kernel and all parts agree who is in the mesh (CNI_SEED=${seed})`, {
  timeout: 60_000 + runs * 60_000,
}, async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.constantFrom(...backends),
      fc.array(action, { minLength: 8, maxLength: 24 }),
      async (by, actions) => {
        await using node = await meshNode()
        const world = new World(node, by, await node.start(settingsFor(by)))
        for (const each of actions) await world.act(each)
        await world.agrees()
      },
    ),
    { ...drawn, numRuns: runs, endOnFailure: true },
  )
})
