import { spawn } from 'node:child_process'
import { copyFileSync } from 'node:fs'
import type { Cni } from '@cni/libcni'
import { expect } from 'vitest'
import { eventually } from '../../packages/istio-redirect/test/stage/agent-node.ts'
import { mode, settings } from '../../packages/istio-rules/test/ambient-pods.ts'
import { type Pod, podsOn } from './pod-life.ts'
import { upgradeNode } from './upgrade-node.ts'

/** Creates a test node in ambient mode with a ztunnel stand-in, for upgrades of the agent. */
export async function ambientNode(env: Readonly<Record<string, string>> = {}) {
  const stack = new AsyncDisposableStack()
  const selectors = JSON.stringify(settings.selectors)
  const ambient = { AMBIENT_ENABLED: 'true', AMBIENT_IPV6: 'true', AMBIENT_ENABLEMENT_SELECTOR: selectors }
  const node = stack.use(await upgradeNode({ ...ambient, ...env }))
  // Starts a process named `kubelet`, because the agent's rules match the user of kubelet.
  copyFileSync('/usr/bin/sleep', node.files.path('kubelet'))
  const kubelet = spawn(node.files.path('kubelet'), ['infinity'], { stdio: 'ignore' })
  stack.defer(() => void kubelet.kill('SIGKILL'))
  node.api.setNamespace('demo', { [mode]: 'ambient' })
  const ztunnel = node.ztunnel()
  return {
    node,
    /** Creates pods that the container runtime `runtime` adds. Default: the node's runtime. */
    pods: (runtime?: Cni) => podsOn(node, { isAmbient: true, runtime }),
    /** Waits until ztunnel has the given pods. Expects that the pods' annotation shows the enrolment. */
    async expectInMesh(...pods: readonly Pod[]) {
      for (const { uid, name } of pods) {
        await eventually(() => ztunnel.ready && ztunnel.pods.has(uid), `ztunnel has ${name}`, 30_000)
        const { annotations } = node.api.getPod('demo', name)?.metadata ?? {}
        expect(annotations).toMatchObject({ 'ambient.istio.io/redirection': 'enabled' })
      }
    },
    /** Waits until ztunnel has no pod left. */
    async expectNoneInMesh() {
      await eventually(() => ztunnel.ready && ztunnel.pods.size === 0, 'ztunnel has no pod', 30_000)
    },
    [Symbol.asyncDispose]: () => stack.disposeAsync(),
  }
}
