import { chmodSync, closeSync, ftruncateSync, openSync, readFileSync, rmSync, statSync, writeSync } from 'node:fs'
import { expect, test } from 'vitest'
import { type AgentNode, agentNode, ask, calico, entryOf, eventually, withEntry } from '../../stage/agent-node.ts'

const conflist = 'net/10-calico.conflist'
const excluding = (namespace: string) => ({ env: { EXCLUDE_NAMESPACES: namespace } })
const listWith = (node: AgentNode, namespace: string) =>
  withEntry(calico, entryOf(node, { exclude_namespaces: [namespace] }))
const count = (text: string, part: string): number => text.split(part).length - 1

test('two agents with different settings: the older one gives way, logs the reason, and takes over when the newer one ends', async () => {
  await using node = agentNode()
  const older = await node.start(excluding('old'))
  await eventually(older.ready, () => older.log())
  const newer = await node.start(excluding('new'))
  await eventually(newer.ready, () => newer.log())
  await eventually(async () => !(await older.ready()), 'the older one is not ready')
  const { status, body } = await older.get('/readyz?verbose')
  expect([status, body]).toEqual([
    503,
    expect.stringMatching(/claim: a newer installer keeps this node, .*other settings/),
  ])
  const record = JSON.parse(node.read('run/agent.json'))
  expect(record.bootId).toBe(readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim())

  const written = () => count(older.log(), `healed ${node.path(conflist)}`)
  const before = written()
  node.write(conflist, calico)
  await eventually(() => node.read(conflist) === listWith(node, 'new'), 'healed by the newer one')
  const socketPath = node.path('run/log.sock')
  // An agent closes the socket, and the other agent makes a new one.
  const answers = () =>
    ask({ socketPath, path: '/log' }).then(
      ({ status }) => status === 200,
      () => false,
    )
  await eventually(async () => (await answers()) && (await newer.ready()), 'the log socket of the newer one')
  expect(written()).toBe(before)

  newer.kill('SIGTERM')
  await newer.exit
  await eventually(older.ready, () => `taken over: ${older.log()}`)
  expect(node.read(conflist)).toBe(listWith(node, 'old'))
  await eventually(answers, 'the log socket of the older one')

  const third = await node.start(excluding('third'))
  await eventually(third.ready, () => third.log())
  await eventually(async () => !(await older.ready()), 'given way again')
  older.kill('SIGTERM')
  expect(await older.exit).toEqual({ code: 0, signal: null })
  expect(older.log()).toContain('nothing is removed from this node: a newer installer')
  expect([node.read(conflist), node.read('bin/istio-cni')]).toEqual([listWith(node, 'third'), 'plugin v1'])
  expect(await third.ready()).toBe(true)
})

test('an empty plugin in the image leaves the plugin on the node, and readyz and status report it', async () => {
  await using node = agentNode()
  const agent = await node.start()
  await eventually(agent.ready, () => agent.log())
  node.write('src/istio-cni', '')
  const says = `"${node.path('src/istio-cni')}" is empty, so it is not copied`
  await eventually(
    async () => (await agent.get('/readyz?verbose')).body.includes(says),
    () => agent.log(),
  )
  expect((await node.command('status')).stdout).toContain(says)
  expect(node.read('bin/istio-cni')).toBe('plugin v1')
  expect(node.read(conflist)).toBe(withEntry(calico, entryOf(node)))
  node.write('src/istio-cni', 'plugin v2')
  await eventually(() => node.read('bin/istio-cni') === 'plugin v2', 'the whole one')
  await eventually(agent.ready, 'ready')
})

test('a conflist that its owner cannot read is made readable once, and the agent is ready', async () => {
  await using node = agentNode()
  chmodSync(node.path(conflist), 0o000)
  const agent = await node.start()
  await eventually(agent.ready, () => agent.log())
  for (const mode of [0o040, 0o200, 0o000]) {
    chmodSync(node.path(conflist), mode)
    await eventually(
      () => (statSync(node.path(conflist)).mode & 0o777) === 0o600,
      () => agent.log(),
    )
  }
  node.write('sa/token', 'rotated')
  await eventually(() => node.read('run/istio-cni-kubeconfig').includes('rotated'), 'a later pass')
  await eventually(agent.ready, () => agent.log())
  expect(count(agent.log(), 'mode is')).toBe(3)
})

test('text that another program writes through an open descriptor is not lost', async () => {
  await using node = agentNode()
  const fd = openSync(node.path(conflist), 'r+')
  const agent = await node.start()
  await eventually(agent.ready, () => agent.log())
  for (const version of ['0.4.0', '1.0.0']) {
    const text = calico.replace('0.3.1', version)
    ftruncateSync(fd, 0)
    writeSync(fd, text, 0)
    await eventually(
      () => node.read(conflist) === withEntry(text, entryOf(node)),
      () => agent.log(),
    )
  }
  closeSync(fd)
  rmSync(node.path(conflist))
})
