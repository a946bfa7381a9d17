import { describe, expect, test } from 'vitest'
import { eventually } from '../../../packages/istio-redirect/test/stage/agent-node.ts'
import type { KubeServer } from '../../../packages/kube/test/kube-server.ts'
import { type ChartAgent, chartAgent, NAMESPACE, suiteServer } from './chart-agent.ts'
import type { Mode } from './chart-modes.ts'
import { missing } from './missing-programs.ts'
import { createBroken, createPod, isDeleted, isEnrolled, isLabelled, podName } from './pods.ts'
import { eventsIn } from './requests.ts'

/** Checks of the work of an agent in each mode, with its rights. */
const works: Readonly<Record<Mode, (kube: KubeServer, on: ChartAgent) => Promise<boolean>>> = {
  'no repair': served,
  'repair in place': served,
  'repair by deletion': async (kube) => repaired(kube, isDeleted),
  'repair by label': async (kube) => repaired(kube, isLabelled),
  ambient: enrolled,
  'ambient redirected on the node': async (_, on) => on.ready(),
  'nodes chosen by labels': served,
}

describe.runIf(missing === undefined)(
  `with exactly the chart's rights at a real API server${missing ? ` (skipped: ${missing})` : ''}`,
  () => {
    const server = suiteServer()

    test.for(Object.entries(works) as [Mode, (typeof works)[Mode]][])(
      '%s: nothing is refused, the token on the node only gets, and an update leaves all',
      async ([mode, work]) => {
        const kube = server()
        await using on = await chartAgent(kube, mode)
        await eventually(on.ready, on.log, 20_000)
        expect(on.node.read('run/istio-cni-kubeconfig')).toContain(on.node.read('run/istio-cni-token'))
        expect(await work(kube, on)).toBe(true)

        const signal = AbortSignal.timeout(20_000)
        const plugin = on.plugin()
        await expect(plugin.get('/api/v1/pods', { signal })).rejects.toThrow(
          'istio-cni-plugin" cannot list resource "pods"',
        )
        const namespace = plugin.get('/api/v1/namespaces/demo', { signal })
        if (mode.startsWith('ambient')) await namespace
        else await expect(namespace).rejects.toThrow('cannot get resource "namespaces"')

        on.agent.kill('SIGTERM')
        expect(await on.agent.exit).toEqual({ code: 0, signal: null })
        expect(on.log()).toContain('the plugin stays on this node')
        expect(on.log()).not.toContain('forbidden')
        expect((await eventsIn(kube, NAMESPACE)).join()).not.toContain('forbidden')
      },
    )
  },
)

// internal

/** Tests both ways to read a pod: the plugin by itself, and the agent for a request without a UID. */
async function served(kube: KubeServer, on: ChartAgent): Promise<boolean> {
  const name = podName()
  await createPod(kube, name, 'mesh')
  for (const alone of [false, true]) expect(await on.add(name, { alone })).toContain('traffic is redirected')
  return true
}

async function repaired(kube: KubeServer, done: typeof isDeleted): Promise<boolean> {
  const name = podName()
  await createBroken(kube, name)
  await eventually(() => done(kube, name), `${name} is repaired`, 20_000)
  await eventually(
    async () => (await eventsIn(kube, 'demo')).some((text) => text.includes('detected as broken')),
    'an event says so',
  )
  return true
}

async function enrolled(kube: KubeServer, on: ChartAgent): Promise<boolean> {
  const name = podName()
  await createPod(kube, name, 'ambient')
  const said = await on.add(name, { alone: true })
  await eventually(
    () => isEnrolled(kube, name),
    () => said + on.log(),
    20_000,
  )
  return true
}
