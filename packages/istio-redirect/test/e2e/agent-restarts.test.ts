import { readdirSync, readFileSync, statSync } from 'node:fs'
import { setTimeout as delay } from 'node:timers/promises'
import { type Netns, netns } from '@cni/netns'
import { tempNetns } from '@cni/netns/testing'
import { expect, test } from 'vitest'
import { add } from './add-pod.ts'
import { type AgentProcess, eventually } from './agent-node.ts'
import { podOf, type Serving, serving } from './serving-agent.ts'

/** How many ADDs, four at a time. */
const ADDS = Number(process.env.CNI_RESTART_ADDS ?? 40)
const LANES = 4

const rulesIn = async (target: Netns): Promise<string> =>
  (await netns.exec(target, ['nft', 'list', 'ruleset'])).stdout.replace(/counter packets \d+ bytes \d+/g, 'counter')

/** What the plugin has on record of the pods, by container. */
function records(at: Serving): Map<string, Record<string, unknown>> {
  const folder = at.node.path('run/attachments')
  // Others are being written.
  const files = readdirSync(folder).filter((file) => /^[0-9a-f]{32}\.json$/.test(file))
  const all = files.map((file) => JSON.parse(readFileSync(`${folder}/${file}`, 'utf8')))
  return new Map(all.map((record) => [record.containerID, record]))
}

/** An agent that is killed, or stopped for a while, and started again, at random moments. */
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
        // Serving at least once in a while.
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

test(
  `${ADDS} ADDs while the agent is killed and started again: each pod has exactly its rules, or its ADD is repeated`,
  async () => {
    await using at = await serving()
    at.api.writeKubeconfig(at.node.path('run'))
    await using alone = await tempNetns()
    at.api.setPod(podOf('alone', { uid: 'alone' }))
    expect(await add(at, alone, { name: 'alone', uid: 'alone', agent: 'never' })).toMatchObject({ exitCode: 0 })
    const expected = await rulesIn(alone)
    expect(expected).toContain('ISTIO_OUTPUT')

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
        expect([name, await rulesIn(target)]).toEqual([name, isMesh ? expected : ''])
        const { dev, ino } = target
        const record = isMesh ? { applied: true, netns: { dev: Number(dev), ino: Number(ino) } } : undefined
        expect([name, records(at).get(`container-${name}`)]).toEqual([name, record && expect.objectContaining(record)])
        seen[/the node agent does not decide/.test(called.stderr) ? 'alone' : 'served'] += 1
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
