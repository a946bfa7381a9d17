import { mkdirSync, renameSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import { setTimeout as delay } from 'node:timers/promises'
import { expect, test } from 'vitest'
import {
  AGENT_BUNDLE,
  agentNode,
  ask,
  calico,
  cpuMs,
  entryOf,
  eventually,
  freePort,
  withEntry,
} from '../../stage/agent-node.ts'

const conflist = 'net/10-calico.conflist'

test.concurrent.for<[string, NodeJS.Signals, () => Record<string, string>]>([
  ['TERM when installed', 'SIGTERM', () => ({})],
  ['INT when installed', 'SIGINT', () => ({})],
  ['TERM while a configuration is waited for', 'SIGTERM', () => ({ CNI_CONF_NAME: 'never.conf' })],
])('%s: cleaned up, exit 0, within a second', async ([, signal, env]) => {
  await using node = agentNode()
  const agent = await node.start({ env: env() })
  await eventually(() => node.names().includes('run/istio-cni-kubeconfig'), 'installed')
  const start = performance.now()
  agent.kill(signal)
  expect(await agent.exit).toEqual({ code: 0, signal: null })
  expect(performance.now() - start).toBeLessThan(1000)
  expect(node.read(conflist)).toBe(calico)
  expect(node.names().filter((name) => /^(?:run\/|bin\/istio-cni$)/.test(name))).toEqual([])
})

test('a killed agent leaves a working node, and the next start converges', async () => {
  await using node = agentNode()
  const first = await node.start()
  await eventually(first.ready, () => first.log())
  const installed = node.read(conflist)
  first.kill('SIGKILL')
  await first.exit
  expect(node.read(conflist)).toBe(installed)
  writeFileSync(node.path('src/istio-cni'), 'plugin v2')
  const second = await node.start()
  await eventually(second.ready, () => second.log())
  expect([node.read(conflist), node.read('bin/istio-cni')]).toEqual([installed, 'plugin v2'])
  expect((await ask({ socketPath: node.path('run/log.sock'), path: '/log' })).status).toBe(200)
})

test('the bundle on Node behaves like the compiled agent', async () => {
  await using node = agentNode()
  const agent = await node.start({ file: [process.execPath, AGENT_BUNDLE] })
  await eventually(agent.ready, () => agent.log())
  expect(node.read(conflist)).toBe(withEntry(calico, entryOf(node)))
  agent.kill('SIGTERM')
  expect(await agent.exit).toEqual({ code: 0, signal: null })
  expect(node.read(conflist)).toBe(calico)
})

test('health and metrics answer as Istio’s do', async () => {
  await using node = agentNode()
  const port = await freePort()
  const agent = await node.start({ env: { MONITORING_PORT: String(port) } })
  await eventually(agent.ready, () => agent.log())
  expect(await agent.get('/healthz')).toMatchObject({ status: 200, body: '' })
  expect(await agent.get('/readyz', 'POST')).toMatchObject({ status: 200, body: '' })
  expect(await agent.get('/other')).toMatchObject({ status: 404, body: '404 page not found\n' })
  const metrics = () => ask({ port, path: '/metrics' })
  expect((await metrics()).type).toBe('text/plain; version=0.0.4; charset=utf-8; escaping=underscores')
  expect((await ask({ port, path: '/' })).status).toBe(404)
  for (const path of ['//', '//[', '/%zz']) {
    expect([path, (await agent.get(path)).status, (await ask({ port, path })).status]).toEqual([path, 404, 404])
  }
  expect(agent.log()).not.toContain('internal error')
  expect(
    (await metrics()).body,
  ).toContain(`# HELP istio_cni_installs_total Total number of CNI plugins installed by the Istio CNI installer
# TYPE istio_cni_installs_total counter
istio_cni_installs_total{result="SUCCESS"} 1
`)
  expect(
    (await metrics()).body,
  ).toContain(`# HELP istio_cni_install_ready Whether the CNI plugin installation is ready or not
# TYPE istio_cni_install_ready gauge
istio_cni_install_ready 1
`)
  rmSync(node.path('sa/token'))
  await eventually(async () => !(await agent.ready()), 'not ready')
  expect(await agent.get('/readyz')).toMatchObject({ status: 503, body: 'Service Unavailable\n' })
  expect((await agent.get('/readyz?verbose')).body).toContain(`there is no token file`)
  const failed = (await metrics()).body
  expect(failed).toContain('istio_cni_installs_total{result="CREATE_KUBECONFIG_FAILURE"}')
  expect(failed).toContain('istio_cni_install_ready 0')
})

test('a busy metrics port is an error line and is retried; a busy health port ends the start before any write', async () => {
  await using node = agentNode()
  const server = createServer()
  await new Promise<void>((resolve) => server.listen(0, '::', resolve))
  const address = server.address()
  const port = String(typeof address === 'object' ? address?.port : 0)
  const env = { MONITORING_PORT: port }
  const agent = await node.start({ env })
  await eventually(agent.ready, () => agent.log())
  expect(agent.log()).toContain(`metrics: cannot listen on port ${port}`)
  const refused = await node.start({ env: { HEALTH_PORT: port } })
  expect(await refused.exit).toEqual({ code: 1, signal: null })
  expect(refused.log()).toContain(`cannot serve health checks on port ${port}`)
  server.close()
  await eventually(async () => (await ask({ port: Number(port), path: '/metrics' })).status === 200, 'metrics')
  agent.kill('SIGTERM')
  await agent.exit
  expect(node.read(conflist)).toBe(calico)
})

test.concurrent.for<[string, Record<string, string>, string]>([
  ['no API server', { KUBERNETES_SERVICE_HOST: '' }, 'KUBERNETES_SERVICE_HOST is not set'],
  [
    'a name no runtime reads',
    { CNI_CONF_NAME: 'undetectable.file' },
    'CNI_CONF_NAME has the value "undetectable.file"',
  ],
  ['an unknown back end', { FORCE_IPTABLES_BINARY: 'x' }, 'FORCE_IPTABLES_BINARY has the value "x"'],
  ['an odd address', { HOST_PROBE_SNAT_IP: '1.2.3' }, 'HOST_PROBE_SNAT_IP has the value "1.2.3"'],
  ['selectors that are none', { AMBIENT_ENABLEMENT_SELECTOR: '- podSelectr: {}' }, 'AMBIENT_ENABLEMENT_SELECTOR: 0'],
  [
    'a relative folder',
    { MOUNTED_CNI_NET_DIR: 'net' },
    'MOUNTED_CNI_NET_DIR has the value "net": expected an absolute path',
  ],
])('%s: refused at start with a message, and nothing is written', async ([, env, sentence]) => {
  await using node = agentNode()
  const before = node.names()
  const agent = await node.start({ env })
  expect(await agent.exit).toEqual({ code: 1, signal: null })
  expect(agent.log()).toContain(sentence)
  expect(agent.log()).not.toContain('    at ')
  expect(node.names()).toEqual(before)
})

test('flags precede the configuration folder, which precedes the environment, and the folder is followed', async () => {
  await using node = agentNode()
  // Kubelet mounts a ConfigMap in this way: all files change at once, through a link.
  const revision = (name: string, files: Record<string, string>) => {
    mkdirSync(node.path('config', name), { recursive: true })
    for (const [file, text] of Object.entries(files)) writeFileSync(node.path('config', name, file), text)
    symlinkSync(name, node.path('config', '..new'))
    renameSync(node.path('config', '..new'), node.path('config', '..data'))
  }
  revision('..1', { EXCLUDE_NAMESPACES: 'from-folder\n', CNI_CONF_GROUP_READ: 'true', 'not-a-variable': 'x' })
  for (const name of ['EXCLUDE_NAMESPACES', 'KUBECONFIG_MODE', 'CHECK_MODE']) {
    symlinkSync(`..data/${name}`, node.path('config', name))
  }
  rmSync(node.path('config/KUBECONFIG_MODE'))
  rmSync(node.path('config/CHECK_MODE'))
  const agent = await node.start({
    argv: [`--config-dir=${node.path('config')}`, '--check-mode', 'none'],
    env: { EXCLUDE_NAMESPACES: 'from-environment', CHECK_MODE: 'verify', POD_NAMESPACE: 'from-environment' },
  })
  const expected = (more: object) =>
    withEntry(calico, sorted(entryOf(node, { check_mode: 'none', pod_namespace: 'from-environment', ...more })))
  await eventually(agent.ready, () => agent.log())
  expect(node.read(conflist)).toBe(expected({ exclude_namespaces: ['from-folder'] }))

  revision('..2', { EXCLUDE_NAMESPACES: 'a, ,b' })
  await eventually(
    () => node.read(conflist) === expected({ exclude_namespaces: ['a', 'b'] }),
    () => agent.log(),
  )
  expect(agent.log()).toContain('the configuration changed: EXCLUDE_NAMESPACES')

  symlinkSync('..data/FORCE_IPTABLES_BINARY', node.path('config/FORCE_IPTABLES_BINARY'))
  revision('..3', { EXCLUDE_NAMESPACES: 'never', FORCE_IPTABLES_BINARY: 'wrong' })
  await eventually(
    () =>
      agent.log().includes('the new configuration is invalid, the former one stays in force: FORCE_IPTABLES_BINARY'),
    'refused',
  )
  expect(node.read(conflist)).toBe(expected({ exclude_namespaces: ['a', 'b'] }))

  rmSync(node.path('config/FORCE_IPTABLES_BINARY'))
  revision('..4', { EXCLUDE_NAMESPACES: '' })
  agent.kill('SIGHUP')
  await eventually(
    () => node.read(conflist) === expected({ exclude_namespaces: null }),
    () => agent.log(),
  )
  agent.kill('SIGTERM')
  expect(await agent.exit).toEqual({ code: 0, signal: null })
})

test('two agents on one node do not react to each other’s writes, and the one that stays keeps the plugin', async () => {
  await using node = agentNode()
  const first = await node.start()
  await eventually(first.ready, () => first.log())
  const second = await node.start()
  await eventually(second.ready, () => second.log())
  const before = [first, second].map(({ pid }) => cpuMs(pid))
  await delay(1500)
  const used = [first, second].map(({ pid }, index) => cpuMs(pid) - (before[index] ?? 0))
  expect(Math.max(...used)).toBeLessThan(200)
  second.kill('SIGTERM')
  expect(await second.exit).toEqual({ code: 0, signal: null })
  await eventually(() => node.read(conflist) === withEntry(calico, entryOf(node)), 'healed')
  const socketPath = node.path('run/log.sock')
  await eventually(async () => (await ask({ socketPath, path: '/log' })).status === 200, 'a log socket')
  expect(first.log().split('\n').length + second.log().split('\n').length).toBeLessThan(40)
})

test('repair without a reachable API server does not delay installing, and ends with the agent', async () => {
  await using node = agentNode()
  const env = { REPAIR_LABEL_PODS: 'true', KUBERNETES_SERVICE_HOST: '127.0.0.1', KUBERNETES_SERVICE_PORT: '1' }
  const agent = await node.start({ env })
  await eventually(agent.ready, () => agent.log())
  agent.kill('SIGTERM')
  const start = performance.now()
  expect(await agent.exit).toEqual({ code: 0, signal: null })
  expect(performance.now() - start).toBeLessThan(1500)
  expect(node.read(conflist)).toBe(calico)
})

test('owned mode writes a copy that sorts first, and is not ready while the node’s name is unknown', async () => {
  await using node = agentNode()
  const agent = await node.start({ env: { ISTIO_OWNED_CNI_CONFIG: 'true', AMBIENT_ENABLED: 'true' } })
  const owned = withEntry(calico, entryOf(node, { ambient_enabled: true }))
  await eventually(
    () => node.read('net/02-istio-cni.conflist') === owned,
    () => agent.log(),
  )
  expect(node.read(conflist)).toBe(calico)
  expect((await agent.get('/readyz?verbose')).body).toContain('ambient mode: NODE_NAME is not set')
  agent.kill('SIGTERM')
  expect(await agent.exit).toEqual({ code: 0, signal: null })
  expect(node.names().filter((name) => name.startsWith('net/'))).toEqual([conflist])
})

test('TERM during the first copy ends the agent and removes the copy', async () => {
  await using node = agentNode()
  node.write('src/large', 'x'.repeat(200_000_000))
  const agent = await node.start()
  const start = performance.now()
  agent.kill('SIGTERM')
  expect(await agent.exit).toEqual({ code: 0, signal: null })
  expect(performance.now() - start).toBeLessThan(1200)
  expect(node.read(conflist)).toBe(calico)
  const left = node.names().filter((name) => /tmp|kubeconfig|bin\/istio-cni/.test(name.replace(/^src.*/, '')))
  expect(left, agent.log()).toEqual([])
})

const sorted = (entry: object): object => Object.fromEntries(Object.entries(entry).sort(([a], [b]) => (a < b ? -1 : 1)))
