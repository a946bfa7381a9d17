import { mkdirSync } from 'node:fs'
import { createServer, type Socket } from 'node:net'
import { setTimeout as delay } from 'node:timers/promises'
import type { RunResult } from '@cni/host'
import { tempNetns } from '@cni/netns/testing'
import { toErrorDocument } from '@cni/types'
import { describe, expect, onTestFinished, test } from 'vitest'
import { AGENT, type AgentProcess, eventually } from '../../stage/agent-node.ts'
import { rulesIn } from '../../stage/rules.ts'
import { ambientNode } from '../ambient/ambient-node.ts'
import { add } from './add-pod.ts'
import { memoryLimit, noMemoryLimit } from './memory-cgroup.ts'
import { podOf, type Serving, serving } from './serving-agent.ts'

const LIMITED = noMemoryLimit === undefined ? '' : ` (skipped: ${noMemoryLimit})`

/** A list of about 256 KiB. The API server accepts it as one annotation. */
function list(entry: (i: number) => string): string {
  let text = entry(0)
  for (let i = 1; text.length < 262_100 - 20; i += 1) text += `,${entry(i)}`
  return text
}

const name = (i: number) => `i${i.toString(36)}`
const range = (i: number) => `10.${(i >> 8) & 255}.${i & 255}.0/24`
const sidecar = 'traffic.sidecar.istio.io'

/** Each list annotation with 256 KiB of valid entries. */
const hostile = Object.entries({
  [`${sidecar}/excludeInterfaces`]: list(name),
  [`${sidecar}/kubevirtInterfaces`]: list(name),
  'istio.io/reroute-virtual-interfaces': list(name),
  [`${sidecar}/includeOutboundIPRanges`]: list(range),
  [`${sidecar}/excludeOutboundIPRanges`]: list(range),
  [`${sidecar}/includeInboundPorts`]: list((i) => String(i % 65_000)),
  [`${sidecar}/excludeInboundPorts`]: list((i) => String(i % 65_000)),
  [`${sidecar}/includeOutboundPorts`]: list((i) => String(i % 65_000)),
  [`${sidecar}/excludeOutboundPorts`]: list(() => '80'),
})

/** Adds a mesh pod with these annotations besides the usual ones. */
function setPod(at: Serving, podName: string, annotations: Readonly<Record<string, string>>): void {
  const pod = podOf(podName, { uid: `uid-${podName}` })
  at.api.setPod({ ...pod, metadata: { ...pod.metadata, annotations: { ...pod.metadata.annotations, ...annotations } } })
}

async function addTo(
  at: Serving,
  podName: string,
): Promise<RunResult & { readonly ms: number; readonly rules: string }> {
  await using target = await tempNetns()
  const began = performance.now()
  const called = await add(at, target, { name: podName, uid: `uid-${podName}` })
  return { ...called, ms: performance.now() - began, rules: await rulesIn(target) }
}

/** Requests `/healthz` repeatedly. `stop` returns the longest time to an answer in milliseconds. */
function watchHealth(agent: AgentProcess): { stop(): Promise<number> } {
  let [isOver, worst] = [false, 0]
  const watching = (async () => {
    while (!isOver) {
      const began = performance.now()
      await agent.get('/healthz')
      worst = Math.max(worst, performance.now() - began)
      await delay(10)
    }
  })()
  return {
    async stop() {
      isOver = true
      await watching
      return worst
    },
  }
}

const report = (text: string): void => void process.stderr.write(`${text}\n`)

describe.skipIf(noMemoryLimit !== undefined)(`in 64 MiB${LIMITED}`, () => {
  test('an agent starts on a node with 110 pods of 250 KB of annotations each, and watches them', async () => {
    await using limit = memoryLimit(64)
    await using at = await serving(limit.within(AGENT))
    at.agent.kill('SIGKILL')
    await at.agent.exit
    for (let i = 0; i < 110; i += 1) setPod(at, `pod-${i}`, { 'example.com/any': 'x'.repeat(250_000) })
    const agent = await at.start()
    await eventually(
      () => at.api.watches() === 1,
      () => `a watch: ${agent.log()}`,
    )
    expect((await agent.get('/healthz')).status).toBe(200)
    expect(await addTo(at, 'pod-7')).toMatchObject({ exitCode: 0, rules: expect.stringContaining('ISTIO_OUTPUT') })
    const { most, killed } = limit.usage()
    report(`110 pods of 250 KB: at most ${Math.round(most / 1024 / 1024)} MiB in use`)
    expect(killed).toBe(0)
  })

  test('pods with lists of 256 KiB fail with code 7 and the name of the annotation, and other pods are not affected', async () => {
    await using limit = memoryLimit(64)
    await using at = await serving(limit.within(AGENT))
    setPod(at, 'web', {})
    expect(await addTo(at, 'web')).toMatchObject({ exitCode: 0 })
    for (const [i, [key, value]] of hostile.entries()) setPod(at, `evil-${i}`, { [key]: value })
    const health = watchHealth(at.agent)
    const evils = Promise.all(hostile.map((_, i) => addTo(at, `evil-${i}`)))
    const others: number[] = []
    for (let i = 0; i < 10; i += 1) {
      setPod(at, `other-${i}`, {})
      const other = await addTo(at, `other-${i}`)
      expect(other).toMatchObject({ exitCode: 0, rules: expect.stringContaining('ISTIO_OUTPUT') })
      others.push(other.ms)
    }
    for (const [i, { exitCode, stdout, rules }] of (await evils).entries()) {
      expect([exitCode, rules]).toEqual([1, expect.not.stringContaining('ISTIO_')])
      const { code, msg } = JSON.parse(stdout)
      expect([code, msg]).toEqual([7, expect.stringContaining(`annotation ${hostile[i]?.[0]} of pod demo/evil-${i}`)])
      expect(msg).toMatch(/the list has \d+ entries, at most 4096 are possible/)
      expect(msg.length).toBeLessThan(400)
    }
    const worst = await health.stop()
    const { most, killed } = limit.usage()
    const ms = [worst, Math.max(...others)].map(Math.round)
    report(`lists of 256 KiB: /healthz at most ${ms[0]} ms, other ADDs at most ${ms[1]} ms, ${most >> 20} MiB in use`)
    expect(worst).toBeLessThan(1000)
    expect(killed).toBe(0)
  })
})

test('the plugin of a pod with 1 024 interfaces makes 4 096 rules by itself, and the agent answers meanwhile', async () => {
  await using at = await serving()
  at.api.writeKubeconfig(at.node.path('run'))
  const interfaces = Array.from({ length: 1024 }, (_, i) => name(i)).join(',')
  const mode = { 'sidecar.istio.io/interceptionMode': 'TPROXY' }
  setPod(at, 'many', { [`${sidecar}/excludeInterfaces`]: interfaces, ...mode })
  const health = watchHealth(at.agent)
  const { exitCode, rules, stderr } = await addTo(at, 'many')
  expect([exitCode, stderr]).toEqual([0, expect.stringContaining('the agent serves at most 256')])
  expect(rules.match(/-j RETURN/g)?.length).toBeGreaterThan(4096)
  expect(await health.stop()).toBeLessThan(1000)
})

test('the plugin waits 3 s in all for an agent that answers byte by byte, then decides by itself', async () => {
  await using at = await serving(undefined, { SERVE_PLUGIN: 'false' })
  at.api.writeKubeconfig(at.node.path('run'))
  setPod(at, 'web', {})
  mkdirSync(at.node.path('run'), { recursive: true })
  const sockets = new Set<Socket>()
  const server = createServer((socket) => {
    sockets.add(socket.on('error', () => {}))
    socket.write('HTTP/1.1 200 OK\r\n\r\n')
    const timer = setInterval(() => socket.write('x'.repeat(16)), 2)
    socket.on('close', () => clearInterval(timer))
  })
  onTestFinished(() => {
    for (const socket of sockets) socket.destroy()
    server.close()
  })
  await new Promise<void>((resolve) => server.listen(at.socket, resolve))
  const { exitCode, ms, stderr, rules } = await addTo(at, 'web')
  expect([exitCode, stderr]).toEqual([0, expect.stringContaining('no answer within 3000 ms')])
  expect(rules).toContain('ISTIO_OUTPUT')
  expect(ms).toBeLessThan(6000)
})

test('ambient: a pod with a list of 256 KiB fails with code 7, and another one is enrolled meanwhile', async () => {
  await using it = await ambientNode()
  const agent = await it.start()
  await it.ztunnel(agent)
  const web = it.bed.node.api.getPod('demo', 'web')
  if (web === undefined) throw new Error('a pod')
  const key = 'istio.io/reroute-virtual-interfaces'
  const annotations = { ...web.metadata.annotations, [key]: list(name) }
  it.bed.node.api.setPod({ ...web, metadata: { ...web.metadata, annotations } })
  const evil = it.add().then(
    () => 'ok',
    (error: unknown) => error,
  )
  const other = await it.addAnother('other')
  expect(other.addresses.length).toBeGreaterThan(0)
  const refused = await evil
  expect(String(refused)).toContain(`annotation ${key} of pod demo/web`)
  expect(String(refused)).toMatch(/the list has \d+ characters, at most 32768 are possible/)
  expect(toErrorDocument(refused).code).toBe(7)
})
