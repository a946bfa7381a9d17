import { rmSync } from 'node:fs'
import { setTimeout as delay } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { type AgentNode, agentNode, calico, entryOf, eventually, withEntry } from '../../stage/agent-node.ts'

const conflist = 'net/10-calico.conflist'
const owned = 'net/02-istio-cni.conflist'
const ownedMode = { ISTIO_OWNED_CNI_CONFIG: 'true', AMBIENT_ENABLED: 'true' }
const bridge = '{"cniVersion":"0.4.0","name":"dbnet","type":"bridge"}\n'
const oddCase = calico.replaceAll('"type"', '"Type"')
const files = (node: AgentNode) =>
  Object.fromEntries(
    node
      .names()
      .filter((name) => name.startsWith('net/'))
      .map((name) => [name, node.read(name)]),
  )
const entry = (node: AgentNode) => entryOf(node, { ambient_enabled: true })

// For each of these settings, Istio's agent rewrites a file once a second, is never ready, and ignores SIGTERM.
test.concurrent.for<[string, Record<string, string>, Record<string, string>, (name: string) => boolean]>([
  ['a primary whose members are called Type', { '10-calico.conflist': oddCase }, {}, () => true],
  ['an owned copy of a single configuration', { '10-bridge.conf': bridge }, ownedMode, (name) => name === owned],
  [
    'an owned file that ends in .conf',
    { '10-calico.conflist': calico },
    { ...ownedMode, ISTIO_OWNED_CNI_CONFIG_FILENAME: '02-istio-cni.conf' },
    (name) => name === owned,
  ],
  [
    'an owned file that does not sort first',
    { '10-calico.conflist': calico },
    { ...ownedMode, ISTIO_OWNED_CNI_CONF_FILENAME: '99-late.conflist' },
    () => false,
  ],
  [
    'a named file that is no configuration',
    { '10-calico.conflist': '{}' },
    { CNI_CONF_NAME: '10-calico.conflist' },
    () => false,
  ],
])('%s: at most one file is written, once, and TERM ends the agent', async ([, net, env, mayHold]) => {
  await using node = agentNode({ net })
  const before = files(node)
  const agent = await node.start({ env })
  await delay(1500)
  const holding = Object.entries(files(node)).filter(([, text]) => text.includes('istio-cni'))
  expect(holding.length).toBeLessThanOrEqual(1)
  for (const [name] of holding) expect(mayHold(name), name).toBe(true)
  const writes = agent
    .log()
    .split('\n')
    .filter((line) => /\t(?:wrote|healed|converted) \S*\/net\//.test(line))
  expect(writes.length, agent.log()).toBe(holding.length)
  const start = performance.now()
  agent.kill('SIGTERM')
  expect(await agent.exit).toEqual({ code: 0, signal: null })
  expect(performance.now() - start).toBeLessThan(1000)
  const normal = (all: Record<string, string>) =>
    Object.fromEntries(Object.entries(all).map(([name, text]) => [name, JSON.parse(text)]))
  expect(normal(files(node))).toEqual(normal(before))
})

test('a named file that is empty is not written until it is complete', async () => {
  await using node = agentNode({ net: { '10-calico.conflist': '' } })
  const agent = await node.start({ env: { CNI_CONF_NAME: '10-calico.conflist' } })
  await eventually(
    () => agent.log().includes('not ready'),
    () => agent.log(),
  )
  expect((await agent.get('/readyz?verbose')).body).toContain('10-calico.conflist')
  node.write(conflist, calico.slice(0, 50))
  await delay(300)
  expect(node.read(conflist)).toBe(calico.slice(0, 50))
  node.write(conflist, calico)
  await eventually(agent.ready, () => agent.log())
  expect(node.read(conflist)).toBe(withEntry(calico, entryOf(node)))
})

test('an owned copy is made when the primary comes, follows its changes, and is removed with the agent', async () => {
  await using node = agentNode({ net: {} })
  const agent = await node.start({ env: ownedMode })
  await eventually(() => node.names().includes('run/istio-cni-kubeconfig'), 'all but the network')
  expect(files(node)).toEqual({})
  const copy = (text: string) =>
    eventually(
      () => node.read(owned) === withEntry(text, entry(node)),
      () => agent.log(),
    )
  node.write(conflist, calico)
  await copy(calico)
  const tuned = `${JSON.stringify({ ...JSON.parse(calico), plugins: [{ type: 'calico' }, { type: 'tuning' }] }, null, 2)}\n`
  node.write(conflist, tuned)
  await copy(tuned)
  node.write(conflist, tuned.replace('"tuning"', '"portmap"'))
  await copy(tuned.replace('"tuning"', '"portmap"'))
  node.write(conflist, calico)
  await copy(calico)
  rmSync(node.path(conflist))
  await eventually(async () => (await agent.get('/readyz?verbose')).body.includes('conflist: '), 'not ready')
  node.write(conflist, tuned)
  await copy(tuned)
  agent.kill('SIGTERM')
  expect(await agent.exit).toEqual({ code: 0, signal: null })
  expect(files(node)).toEqual({ [conflist]: tuned })
})

test('owned mode without ambient mode keeps the primary', async () => {
  await using node = agentNode()
  const agent = await node.start({ env: { ISTIO_OWNED_CNI_CONFIG: 'true' } })
  await eventually(agent.ready, () => agent.log())
  expect(agent.log()).toContain('ISTIO_OWNED_CNI_CONFIG has no effect without AMBIENT_ENABLED')
  agent.kill('SIGTERM')
  expect(await agent.exit).toEqual({ code: 0, signal: null })
  expect(files(node)).toEqual({ [conflist]: calico })
})
