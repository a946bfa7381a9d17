import { describe, expect, test } from 'vitest'
import { eventually } from '../../stage/agent-node.ts'
import { ambientNode, uid } from './ambient-node.ts'

test.each([
  ['hands over by an event', []],
  ['has the agent decide about', [['K8S_POD_UID', uid]]],
] as const)(
  'a pod that the plugin %s is enrolled, outlives agents, and is tidied away with the last',
  async (_, args) => {
    await using on = await ambientNode()
    const first = await on.start()
    const ztunnel = await on.ztunnel(first)
    await on.add(args)
    expect(on.annotation()).toBe('enabled')
    expect(ztunnel.pods.get(uid)).toMatchObject({ workload: { name: 'web', namespace: 'demo' } })
    expect(await on.bed.save()).toContain('ISTIO_OUTPUT')
    expect(await on.bed.save('ip6tables-save')).toContain('ISTIO_OUTPUT')
    expect(await on.status()).toMatchObject({ enrolled: 1, pending: 0, ztunnels: 1 })

    on.bed.node.api.setDaemonSet('istio-system', 'istio-cni-node', {})
    first.kill('SIGTERM')
    expect(await first.exit).toEqual({ code: 0, signal: null })
    expect(on.annotation()).toBe('enabled')

    const second = await on.start()
    await eventually(
      () => ztunnel.ready,
      () => second.log(),
    )
    expect([...ztunnel.pods.keys()]).toEqual([uid])
    on.bed.node.api.setDaemonSet('istio-system', 'istio-cni-node')
    second.kill('SIGTERM')
    expect(await second.exit).toEqual({ code: 0, signal: null })
    expect(await on.bed.save()).toContain('ISTIO_OUTPUT')
  },
)

test('an agent that is killed between the rules and the annotation leaves a pod that the next one enrols', async () => {
  await using on = await ambientNode()
  const first = await on.start()
  const ztunnel = await on.ztunnel(first)
  const { api } = on.bed.node
  api.misbehave({ method: 'PATCH', hang: true })
  const added = on.add().catch((error: unknown) => error)
  await eventually(() => api.requests.some(({ method }) => method === 'PATCH'), first.log)
  first.kill('SIGKILL')
  expect(await first.exit).toEqual({ code: null, signal: 'SIGKILL' })
  expect(await added).toBeInstanceOf(Error)
  const rules = await on.bed.save()
  expect(rules).toContain('ISTIO_OUTPUT')
  expect(on.annotation()).toBeUndefined()

  const second = await on.start()
  await eventually(
    () => ztunnel.ready,
    () => second.log(),
  )
  // A runtime reacts with DEL.
  await on.bed.node.runtime.del(on.bed.node.conflist, on.bed.attachment)
  const { result } = await on.add()
  expect(on.annotation()).toBe('enabled')
  expect([...ztunnel.pods.keys()]).toEqual([uid])
  const addresses = (result.ips ?? []).map(({ address }) => address.split('/')[0])
  expect(on.inSets().sort()).toEqual(addresses.sort())
  expect(rulesIn(await on.bed.save())).toEqual(rulesIn(rules))
})

// Both at once: they wait for the agent's own timeouts.
describe.concurrent('an API server that accepts and never answers does not keep the agent from ending', () => {
  test('after the request for the DaemonSet times out, and nothing stays on the node', async () => {
    await using on = await ambientNode()
    const agent = await on.start()
    on.bed.node.api.misbehave(...Array.from({ length: 1000 }, () => ({ hang: true })))
    expect(on.onNode()).toContain('ISTIO_POSTRT')
    const began = performance.now()
    agent.kill('SIGTERM')
    expect(await agent.exit).toEqual({ code: 0, signal: null })
    expect(performance.now() - began).toBeLessThan(7000)
    expect(on.onNode()).not.toContain('ISTIO_POSTRT')
    expect(on.names()).not.toContain('bin/istio-cni')
  })

  test('while it starts', async () => {
    await using on = await ambientNode()
    const { api } = on.bed.node
    api.misbehave(...Array.from({ length: 1000 }, () => ({ hang: true })))
    const agent = await on.begin()
    await eventually(() => api.requests.length > 0, agent.log)
    const began = performance.now()
    agent.kill('SIGTERM')
    expect(await agent.exit).toEqual({ code: 0, signal: null })
    expect(performance.now() - began).toBeLessThan(7000)
    expect(on.onNode()).not.toContain('ISTIO_POSTRT')
  })
})

/** The rules without counters and comments. */
const rulesIn = (saved: string): string[] => saved.split('\n').filter((line) => line.startsWith('-A'))
