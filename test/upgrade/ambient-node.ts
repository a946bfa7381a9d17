import { spawn } from 'node:child_process'
import { copyFileSync } from 'node:fs'
import type { StoredPod } from '@cni/kube/testing'
import type { Cni } from '@cni/libcni'
import { expect } from 'vitest'
import { startZtunnel } from '../../packages/istio-redirect/src/testing/node/ztunnel/ztunnel.ts'
import { plainPod } from '../../packages/istio-redirect/src/testing/pods.ts'
import { eventually } from '../../packages/istio-redirect/test/stage/agent-node.ts'
import { onNode } from '../../packages/istio-redirect/test/stage/pods.ts'
import { mode } from '../../packages/istio-rules/test/ambient-pods.ts'
import { type Pod, type Pods, podsOn, type Which } from './pod-life.ts'
import { type UpgradeNode, upgradeNode } from './upgrade-node.ts'

const SELECTOR = `
- podSelector: { matchExpressions: [{ key: ${mode}, operator: NotIn, values: [none] }] }
  namespaceSelector: { matchLabels: { ${mode}: ambient } }
`

/** Test node in ambient mode with a ztunnel stand-in, for upgrades of the agent. */
export interface AmbientNode extends AsyncDisposable {
  readonly node: UpgradeNode
  /**
   * Creates pods inside and outside the mesh. The container runtime `runtime` adds the pods. Default: the node's
   * runtime.
   */
  pods(runtime?: Cni): Pods
  /** Waits until ztunnel has the given pods. Expects that the pods' annotation shows the enrolment. */
  expectInMesh(...pods: readonly Pod[]): Promise<void>
  /** Waits until ztunnel has no pod left. */
  expectNoneInMesh(): Promise<void>
}

export async function ambientNode(env: Readonly<Record<string, string>> = {}): Promise<AmbientNode> {
  const stack = new AsyncDisposableStack()
  const settings = { AMBIENT_ENABLED: 'true', AMBIENT_IPV6: 'true', AMBIENT_ENABLEMENT_SELECTOR: SELECTOR }
  const node = stack.use(await upgradeNode({ ...settings, ...env }))
  // Starts a process named `kubelet`, because the agent's rules match the user of kubelet.
  copyFileSync('/usr/bin/sleep', node.files.path('kubelet'))
  const kubelet = spawn(node.files.path('kubelet'), ['infinity'], { stdio: 'ignore' })
  stack.defer(() => void kubelet.kill('SIGKILL'))
  const path = node.files.path('ztunnel.sock')
  node.files.env.ZTUNNEL_UDS_ADDRESS = path
  node.api.setNamespace('demo', { [mode]: 'ambient' })
  const ztunnel = stack.use(startZtunnel({ path }))
  return {
    node,
    pods: (runtime) => podsOn(node, { store: stored, isAmbient: true, runtime }),
    async expectInMesh(...pods) {
      for (const { uid, name } of pods) {
        await eventually(() => ztunnel.ready && ztunnel.pods.has(uid), `ztunnel has ${name}`, 30_000)
        const { annotations } = node.api.getPod('demo', name)?.metadata ?? {}
        expect(annotations).toMatchObject({ 'ambient.istio.io/redirection': 'enabled' })
      }
    },
    async expectNoneInMesh() {
      await eventually(() => ztunnel.ready && ztunnel.pods.size === 0, 'ztunnel has no pod', 30_000)
    },
    [Symbol.asyncDispose]: () => stack.disposeAsync(),
  }
}

const stored = (name: string, { uid, isMesh }: Which): StoredPod =>
  onNode(plainPod({ name, namespace: 'demo', ...(!isMesh && { labels: { [mode]: 'none' } }) }), uid, {
    serviceAccountName: 'default',
  })
