import { afterAll, beforeAll, expect, it } from 'vitest'
import { agentReady, install, SELECTOR, NAMESPACE as SYSTEM, uninstall } from './agent.ts'
import { apply, kubectl, type Pod, pods, ready } from './cluster.ts'
import { NAMESPACE, remove, rulesIn, workload } from './workloads.ts'

beforeAll(() => install())
afterAll(async () => {
  await remove('suite=rollout')
  await uninstall()
})

it('pods that start one after the other through a rolling update all have rules, at the first attempt', async () => {
  const [before] = await pods(SYSTEM, SELECTOR)
  await kubectl(['rollout', 'restart', 'daemonset/istio-cni-node', '-n', SYSTEM])
  const names: string[] = []
  let isOver = false
  const over = agentReady().then((agent) => {
    isOver = true
    return agent
  })
  const started: Promise<Pod>[] = []
  while (!isOver || names.length < 5) {
    const name = `rolling-${names.length}`
    names.push(name)
    await apply(workload({ name, sidecar: 'native', labels: { suite: 'rollout' } }))
    started.push(ready(NAMESPACE, name))
  }
  expect((await over).metadata.uid).not.toBe(before?.metadata.uid)
  for (const pod of await Promise.all(started)) {
    expect(await rulesIn(pod)).toContain('ISTIO_REDIRECT')
    const all = pod.status.initContainerStatuses ?? []
    expect(all.map(({ name, restartCount }) => [name, restartCount])).toEqual(all.map(({ name }) => [name, 0]))
  }
})
