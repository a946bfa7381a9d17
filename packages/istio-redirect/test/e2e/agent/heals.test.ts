import {
  chmodSync,
  closeSync,
  mkdirSync,
  openSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { afterAll, beforeAll, expect, test } from 'vitest'
import {
  type AgentNode,
  type AgentProcess,
  agentNode,
  ask,
  calico,
  entryOf,
  eventually,
  withEntry,
} from '../../stage/agent-node.ts'

let node: AgentNode
let agent: AgentProcess
beforeAll(async () => {
  node = agentNode()
  node.write('ca.crt', 'another CA')
  agent = await node.start({ env: { KUBE_CA_FILE: node.path('ca.crt') } })
  await eventually(agent.ready, () => agent.log())
})
afterAll(() => node[Symbol.asyncDispose]())

const conflist = 'net/10-calico.conflist'
const rewrite = (change: (plugins: object[]) => object[]) => {
  const list = JSON.parse(node.read(conflist))
  node.write(conflist, `${JSON.stringify({ ...list, plugins: change(list.plugins) }, null, 2)}\n`)
}

// One agent for all rows. Each row waits until the node is as before.
test.for<[string, () => void]>([
  ['the kubeconfig is removed', () => rmSync(node.path('run/istio-cni-kubeconfig'))],
  ['the kubeconfig is edited', () => node.write('run/istio-cni-kubeconfig', 'x')],
  ['the binary loses its mode', () => chmodSync(node.path('bin/istio-cni'), 0o600)],
  ['the binary is moved away', () => renameSync(node.path('bin/istio-cni'), node.path('moved'))],
  ['the conflist is opened to all', () => chmodSync(node.path(conflist), 0o666)],
  ['our entry is edited', () => rewrite((all) => [...all.slice(0, -1), { type: 'istio-cni', pod_namespace: 'x' }])],
  ['our entry is duplicated', () => rewrite((all) => [...all, ...all.slice(-1)])],
  ['our entry is moved', () => rewrite((all) => all.toReversed())],
  ['our entry is stripped to its type', () => rewrite((all) => [...all.slice(0, -1), { type: 'istio-cni' }])],
  ['our entry is removed', () => node.write(conflist, calico)],
])('healed: %s', async ([, damage]) => {
  const look = () => [
    node.read(conflist),
    node.read('run/istio-cni-kubeconfig'),
    node.read('bin/istio-cni'),
    ...[conflist, 'run/istio-cni-kubeconfig', 'bin/istio-cni'].map((name) => statSync(node.path(name)).mode),
  ]
  const before = look()
  damage()
  await eventually(
    () => look().join() === before.join(),
    () => `healed: ${agent.log()}`,
  )
  await eventually(agent.ready, 'ready')
})

test('healed: the log socket after its removal', async () => {
  const socketPath = node.path('run/log.sock')
  rmSync(socketPath)
  await eventually(async () => (await ask({ socketPath, path: '/log' })).status === 200, 'a socket again')
  expect(statSync(socketPath).mode & 0o777).toBe(0o666)
})

test('healed: a binary that is removed twice, first while a process has it open', async () => {
  const path = node.path('bin/istio-cni')
  const fd = openSync(path, 'r')
  for (let round = 0; round < 3; round++) {
    rmSync(path)
    await eventually(() => node.read('bin/istio-cni') === 'plugin v1', 'a binary again')
  }
  closeSync(fd)
})

test('the agent follows the CA of the kubeconfig, the token and the binary of the image', async () => {
  const kubeconfig = () => node.read('run/istio-cni-kubeconfig')
  node.write('ca.crt', 'a third CA')
  await eventually(() => kubeconfig().includes(Buffer.from('a third CA').toString('base64')), 'the new CA')
  node.write('sa/token', 'rotated')
  await eventually(() => kubeconfig().includes('token: rotated'), 'the new token')
  node.write('src/istio-cni', 'plugin v2', 0o755)
  await eventually(() => node.read('bin/istio-cni') === 'plugin v2', 'the new binary')
  expect(agent.log()).not.toMatch(/se\.cr\.et|rotated/)
})

test('after two seconds the next conflist replaces a missing one, until the first one returns', async () => {
  const other = calico.replace('k8s-pod-network', 'other')
  node.write('net/20-other.conflist', other)
  renameSync(node.path(conflist), node.path('kept.conflist'))
  const took = await eventually(() => node.read('net/20-other.conflist').includes('istio-cni'), 'the next one')
  expect(took).toBeGreaterThan(1500)
  await eventually(agent.ready, 'ready')
  writeFileSync(node.path(conflist), calico)
  await eventually(() => node.read(conflist) === withEntry(calico, entryOf(node)), 'the first one')
  await eventually(() => node.read('net/20-other.conflist') === other, 'our entry is out of the other one')
  rmSync(node.path('net/20-other.conflist'))
})

test('the agent notices within a second that the net folder was deleted and made again', async () => {
  rmSync(node.path('net'), { recursive: true })
  await eventually(async () => !(await agent.ready()), 'not ready')
  mkdirSync(node.path('net'))
  const later = performance.now()
  node.write(conflist, calico)
  await eventually(() => node.read(conflist) === withEntry(calico, entryOf(node)), 'installed again')
  expect(performance.now() - later).toBeLessThan(2000)
})

test('our entry returns into a conflist that another program keeps writing, and the loop stays slow', async () => {
  const rewritesBefore = count(agent.log(), `healed ${node.path(conflist)}`)
  const start = performance.now()
  let rewrites = 0
  while (performance.now() - start < 4000) {
    node.write(conflist, calico.replace('0.3.1', rewrites % 2 === 0 ? '0.4.0' : '0.3.1'))
    rewrites += 1
    await new Promise((resolve) => setTimeout(resolve, 20))
  }
  await eventually(() => readFileSync(node.path(conflist), 'utf8').includes('istio-cni'), 'the entry is back')
  const ours = count(agent.log(), `healed ${node.path(conflist)}`) - rewritesBefore
  expect(ours).toBeGreaterThan(3)
  // Three writes at once, then five a second.
  expect(ours).toBeLessThanOrEqual(3 + 4 * 5 + 2)
  expect(agent.log()).toContain(`something keeps changing ${node.path(conflist)}`)
  expect(await (await agent.get('/healthz')).status).toBe(200)
})

const count = (text: string, part: string): number => text.split(part).length - 1
