import { statSync } from 'node:fs'
import { setTimeout as delay } from 'node:timers/promises'
import type { Netns } from '@cni/netns'
import { tempNetns } from '@cni/netns/testing'
import { expect, test } from 'vitest'
import { type AgentProcess, eventually } from '../../stage/agent-node.ts'
import { rulesIn } from '../../stage/rules.ts'
import { add, isServed, records } from './add-pod.ts'
import { podOf, type Serving, serving } from './serving-agent.ts'

/** The number of ADDs. Four run at a time. */
const ADDS = Number(process.env.CNI_RESTART_ADDS ?? 40)
const LANES = 4

/** Starts an agent, and kills, stops and starts it at random moments. */
function troubled(at: Serving): { stop(): Promise<number> } {
  let agent: AgentProcess | undefined = at.agent
  let isOver = false
  let kills = 0
  const trouble = (async () => {
    while (!isOver) {
      await delay(Math.random() * 120)
      if (agent === undefined) {
        const began = Date.now()
        agent = await at.start({ atOnce: true })
        if (Math.random() < 0.3) continue
        // Waits until the agent serves, at least once in each round.
        await eventually(
          () => statSync(at.socket).ctimeMs > began,
          () => `a socket: ${agent?.log()}`,
          20_000,
        )
        await delay(Math.random() * 1000)
      } else if (Math.random() < 0.3) {
        agent.kill('SIGSTOP')
        await delay(Math.random() * 200)
        agent.kill('SIGCONT')
      } else {
        agent.kill('SIGKILL')
        await agent.exit
        agent = undefined
        kills += 1
      }
    }
    agent?.kill('SIGCONT')
  })()
  return {
    async stop() {
      isOver = true
      await trouble
      return kills
    },
  }
}

/** The rules of a mesh pod whose plugin does not ask the agent. */
async function rulesAlone(at: Serving): Promise<string> {
  await using target = await tempNetns()
  at.api.setPod(podOf('alone', { uid: 'alone' }))
  expect(await add(at, target, { name: 'alone', uid: 'alone', agent: 'never' })).toMatchObject({ exitCode: 0 })
  const rules = await rulesIn(target)
  expect(rules).toContain('ISTIO_OUTPUT')
  return rules
}

/** Expects that a pod has these rules, and a record if there are any rules. */
async function expectDone(at: Serving, target: Netns, { name, rules }: { name: string; rules: string }): Promise<void> {
  expect([name, await rulesIn(target)]).toEqual([name, rules])
  const record = { applied: true, netns: { dev: Number(target.dev), ino: Number(target.ino) } }
  const expected = rules === '' ? undefined : expect.objectContaining(record)
  expect([name, records(at).get(`container-${name}`)]).toEqual([name, expected])
}

test(
  `${ADDS} ADDs while the agent is killed and started again: each pod has exactly its rules, or its ADD is repeated`,
  async () => {
    await using at = await serving()
    at.api.writeKubeconfig(at.node.path('run'))
    const expected = await rulesAlone(at)
    const trouble = troubled(at)
    const left = Array.from({ length: ADDS }, (_, index) => `pod-${index}`)
    const seen = { served: 0, alone: 0, failed: 0 }
    const lane = async (): Promise<void> => {
      for (let name = left.shift(); name !== undefined; name = left.shift()) {
        await using target = await tempNetns()
        const [uid, isMesh] = [`uid-${name}`, left.length % 4 !== 0]
        at.api.setPod(podOf(name, { uid, isMesh }))
        let called = await add(at, target, { name, uid })
        for (let again = 0; called.exitCode !== 0 && again < 5; again += 1) {
          seen.failed += 1
          called = await add(at, target, { name, uid })
        }
        expect(called, called.stderr).toMatchObject({ exitCode: 0 })
        await expectDone(at, target, { name, rules: isMesh ? expected : '' })
        seen[isServed(called) ? 'served' : 'alone'] += 1
      }
    }
    const lanes = Promise.all(Array.from({ length: LANES }, lane))
    const kills = await lanes.then(trouble.stop, (error: unknown) =>
      trouble.stop().then(() => {
        throw error
      }),
    )
    if (process.env.CNI_RESTART_ADDS !== undefined) process.stderr.write(`${JSON.stringify({ ...seen, kills })}\n`)
    expect([seen.served > 0, seen.alone > 0, kills > 0]).toEqual([true, true, true])
  },
  60_000 + ADDS * 2000,
)

test('plugins that run eight at a time are served without a request, and the agent receives their log', async () => {
  await using at = await serving()
  at.api.writeKubeconfig(at.node.path('run'))
  const expected = await rulesAlone(at)
  const before = at.gets()
  const left = Array.from({ length: 48 }, (_, index) => `pod-${index}`)
  const alone: string[] = []
  const lane = async (): Promise<void> => {
    for (let name = left.shift(); name !== undefined; name = left.shift()) {
      await using target = await tempNetns()
      const [uid, isMesh] = [`uid-${name}`, left.length % 4 !== 0]
      at.api.setPod(podOf(name, { uid, isMesh }))
      const called = await add(at, target, { name, uid })
      expect(called, called.stderr).toMatchObject({ exitCode: 0 })
      await expectDone(at, target, { name, rules: isMesh ? expected : '' })
      if (!isServed(called)) alone.push(called.stderr)
    }
  }
  await Promise.all(Array.from({ length: 8 }, lane))
  // A busy machine may accept some connections too late.
  expect(alone.length, alone.join('\n')).toBeLessThan(24)
  const count = async (what: string): Promise<number> =>
    (await at.metrics())
      .split('\n')
      .filter((line) => line.startsWith(what))
      .reduce((sum, line) => sum + Number(line.split(' ').at(-1)), 0)
  expect(await count('istio_cni_served_calls_total')).toBeGreaterThanOrEqual(48 - alone.length)
  const requests = await count('istio_cni_served_pods_total{source="request"}')
  expect(at.gets() - before).toBeLessThanOrEqual(requests + alone.length)
  for (let index = 0; index < 48; index += 1) {
    await eventually(
      () => at.agent.log().includes(`containerID=container-pod-${index} `),
      () => `the lines of pod-${index}: ${at.agent.log()}`,
    )
  }
})
