import { type Netns, netns } from '@cni/netns'
import { tempNetns } from '@cni/netns/testing'
import { describe, expect, test } from 'vitest'
import { eventually } from '../../stage/agent-node.ts'
import { inetTablesIn } from '../../stage/tables-in.ts'
import { add, startAdd } from '../agent/add-pod.ts'
import { podOf, type Serving, serving } from '../agent/serving-agent.ts'

const ALONE = 'the node agent does not decide'

/** An agent that serves, and an API server that the plugin also reaches. */
async function servingNode(): Promise<Serving> {
  const at = await serving()
  at.api.writeKubeconfig(at.node.path('run'))
  return at
}

/** Adds pods until the agent answers in time for one. A busy machine may miss the plugin's limit of 100 ms. */
async function addServed(at: Serving, native = false): Promise<{ readonly name: string; readonly attempts: number }> {
  for (let attempt = 1; ; attempt += 1) {
    await using target = await tempNetns()
    const pod = { name: `web-${attempt}`, uid: `uid-${attempt}`, native }
    at.api.setPod(podOf(pod.name, pod))
    const before = at.api.requests.length
    const { exitCode, stderr } = await add(at, target, pod)
    expect([exitCode, stderr]).toEqual([0, expect.stringContaining('traffic is redirected')])
    expect((await rulesIn(target)).includes('ISTIO_OUTPUT')).toBe(!native)
    expect(inetTablesIn(target)).toEqual(native ? ['istio-proxy-nat'] : [])
    const own = at.api.requests.slice(before).filter(({ url }) => url.includes('/pods/'))
    if (!stderr.includes(ALONE)) {
      expect(own).toEqual([])
      return { name: pod.name, attempts: attempt }
    }
    if (attempt === 10) expect.unreachable(stderr)
  }
}

const rulesIn = async (target: Netns) => (await netns.exec(target, ['iptables-save'])).stdout

describe('the compiled plugin with a compiled agent', () => {
  test('adds a watched pod without a request, and the agent receives its log lines', async () => {
    await using at = await servingNode()
    const { name } = await addServed(at)
    await eventually(
      () => new RegExp(`traffic is redirected.*demo/${name}`).test(at.agent.log()),
      () => at.agent.log(),
    )
  })

  test('adds a pod with native rules', async () => {
    await using at = await servingNode()
    const { attempts } = await addServed(at, true)
    const [, served] = /istio_cni_served_calls_total\{answer="redirect"\} (\d+)/.exec(await at.metrics()) ?? []
    // The agent also counts an answer that comes too late.
    expect(Number(served)).toBeGreaterThanOrEqual(1)
    expect(Number(served)).toBeLessThanOrEqual(attempts)
  })

  test('waits a tenth of a second for a stopped agent, and is served again when the agent continues', async () => {
    await using at = await servingNode()
    const web = { name: 'web', uid: 'uid-web' }
    at.api.setPod(podOf('web', web))
    at.agent.kill('SIGSTOP')
    await using target = await tempNetns()
    const begun = performance.now()
    const { exitCode, stderr } = await add(at, target, web)
    expect([exitCode, stderr]).toEqual([0, expect.stringContaining(ALONE)])
    expect(performance.now() - begun).toBeLessThan(10_000)
    expect(await rulesIn(target)).toContain('ISTIO_OUTPUT')
    at.agent.kill('SIGCONT')
    await addServed(at)
  })

  test('ends on a signal while it waits for an agent, and leaves nothing', async () => {
    await using at = await servingNode()
    // The pod does not exist: the agent waits for its watch, and the API server never answers.
    at.api.misbehave({ hang: true }, { hang: true })
    await using target = await tempNetns()
    const { kill, called } = startAdd(at, target, { name: 'late', uid: 'uid-late' })
    await eventually(
      () => at.api.requests.some(({ url }) => url.endsWith('/pods/late')),
      () => at.agent.log(),
    )
    kill('SIGTERM')
    const { exitCode, stdout } = await called
    expect(exitCode).toBe(1)
    expect(JSON.parse(stdout)).toMatchObject({ code: 11, msg: 'received SIGTERM' })
    expect(await rulesIn(target)).not.toContain('ISTIO')
  })
})
