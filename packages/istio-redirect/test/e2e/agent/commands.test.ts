import { rmSync, writeFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { type AgentNode, agentNode, calico, eventually } from '../../stage/agent-node.ts'

/** Replaces the parts of a text that differ from run to run. */
const settled = (node: AgentNode, text: string): string =>
  text
    .replaceAll(node.path(), 'NODE')
    .replace(/\d+ (?:s|min) old/g, 'N s old')
    .replace(/127\.0\.0\.1:\d+/g, '127.0.0.1:PORT')

test('--dry-run shows every change as a diff, changes nothing, and returns an exit code for changes', async () => {
  await using node = agentNode()
  const before = node.names()
  const { exitCode, stdout, stderr } = await node.command('--dry-run')
  expect([exitCode, stderr]).toEqual([2, ''])
  expect(node.names()).toEqual(before)
  expect(node.read('net/10-calico.conflist')).toBe(calico)
  expect(settled(node, stdout)).toBe(`would create NODE/bin/istio-lib.so (absent)
would create NODE/bin/istio-cni (absent)
would create NODE/run/istio-cni-kubeconfig (absent)
+apiVersion: v1
+clusters:
+- cluster:
+    certificate-authority-data: REDACTED
+    server: https://10.110.0.1:443
+  name: local
+contexts:
+- context:
+    cluster: local
+    user: istio-cni
+  name: istio-cni-context
+current-context: istio-cni-context
+kind: Config
+users:
+- name: istio-cni
+  user:
+    token: REDACTED
would replace NODE/net/10-calico.conflist (our entry is missing)
@@
         "type": "calico-ipam"
       },
       "type": "calico"
+    },
+    {
+      "ambient_enabled": false,
+      "cni_agent_run_dir": "NODE/run",
+      "dns": {},
+      "enable_ambient_detection_retry": false,
+      "enablement_selectors": [],
+      "exclude_namespaces": null,
+      "ipam": {},
+      "name": "istio-cni",
+      "native_nftables": false,
+      "plugin_log_level": "info",
+      "pod_namespace": "",
+      "type": "istio-cni"
     }
   ]
 }
then containerd uses 10-calico.conflist with istio-cni as plugin 2 of 2
then CRI-O uses 10-calico.conflist with istio-cni as plugin 2 of 2
`)
})

test('--dry-run on a node without a network fails and names the missing file, also as JSON', async () => {
  await using node = agentNode({ net: {} })
  const { exitCode, stderr } = await node.command('--dry-run')
  expect([exitCode, stderr]).toEqual([1, 'problem conflist: no valid network configuration: no file in the folder\n'])
  const json = JSON.parse((await node.command('--dry-run', '--json')).stdout)
  expect(json.changes.map(({ action, artefact }: { action: string; artefact: string }) => [action, artefact])).toEqual([
    ['create', 'binary'],
    ['create', 'binary'],
    ['create', 'kubeconfig'],
  ])
  expect(json.problems).toHaveLength(1)
  expect(json.runtimes).toMatchObject([
    { runtime: 'containerd', runs: 'no' },
    { runtime: 'cri-o', runs: 'no' },
  ])
})

test('a broken file before the network: status, --dry-run and the log describe each runtime’s behaviour, and the agent is ready', async () => {
  await using node = agentNode({ net: { '05-broken.conf': '{', '10-calico.conflist': calico } })
  const stops = 'containerd loads no network while 05-broken.conf is broken'
  const uses = 'CRI-O uses 10-calico.conflist with istio-cni as plugin 2 of 2'
  const planned = await node.command('--dry-run')
  expect(planned).toMatchObject({ exitCode: 2, stdout: expect.stringContaining(`then ${uses}\n`) })
  expect(planned.stderr).toContain(`warning ${stops}`)
  const agent = await node.start()
  await eventually(agent.ready, () => agent.log())
  expect(agent.log()).toContain(stops)
  expect(agent.log()).toContain(uses)
  node.env.HEALTH_PORT = String(agent.port)
  const { exitCode, stdout } = await node.command('status')
  expect([exitCode, stdout]).toEqual([0, expect.stringContaining(`  warn  network     ${stops}`)])
  expect(stdout).toContain(`  ok    network     ${uses}\n`)
  expect(stdout).toContain('  - repair or remove 05-broken.conf: containerd reads the first file alone')
  expect(JSON.parse((await node.command('status', '--json')).stdout)).toMatchObject({
    healthy: true,
    runtimes: [
      { runtime: 'containerd', runs: 'no', problem: expect.stringContaining('05-broken.conf') },
      { runtime: 'cri-o', runs: 'yes', primary: '10-calico.conflist', place: 2, plugins: 2 },
    ],
  })
})

test('an entry behind the first network: the agent is not ready, and status fails', async () => {
  const first = '{"cniVersion":"0.4.0","name":"site","type":"bridge"}'
  await using node = agentNode({ net: { '05-site.json': first, '10-calico.conflist': calico } })
  node.env.CNI_CONF_NAME = '10-calico.conflist'
  const agent = await node.start()
  const reason = 'no pod gets istio-cni: containerd uses 05-site.json, and istio-cni is not in it'
  await eventually(
    () => agent.log().includes(reason),
    () => agent.log(),
  )
  expect(await agent.ready()).toBe(false)
  const { exitCode, stdout } = await node.command('status')
  expect([exitCode, stdout]).toEqual([1, expect.stringContaining(reason)])
  expect(await node.command('--dry-run')).toMatchObject({ exitCode: 1, stderr: expect.stringContaining(reason) })
})

test('status shows a healthy node on one screen, then its faults, then a missing agent', async () => {
  await using node = agentNode()
  const token = ['{"alg":"none"}', JSON.stringify({ exp: Math.floor(Date.now() / 1000) + 3700 }), ''].map((part) =>
    Buffer.from(part).toString('base64url'),
  )
  node.write('sa/token', token.join('.'))
  const agent = await node.start()
  await eventually(agent.ready, () => agent.log())
  await eventually(() => node.names().includes('run/serve.sock'), 'the serving socket')
  node.env.HEALTH_PORT = String(agent.port)
  const healthy = await node.command('status')
  expect(settled(node, healthy.stdout)).toBe(`istio-cni on this node: healthy
  ok    binary      NODE/bin/istio-lib.so
  ok    binary      NODE/bin/istio-cni
  ok    kubeconfig  NODE/run/istio-cni-kubeconfig
  ok    conflist    NODE/net/10-calico.conflist: plugin 2 of 2, primary network 10-calico.conflist
  ok    network     containerd uses 10-calico.conflist with istio-cni as plugin 2 of 2
  ok    network     CRI-O uses 10-calico.conflist with istio-cni as plugin 2 of 2
  ok    token       NODE/sa/token: N s old, valid for 1 h
  ok    log socket  NODE/run/log.sock
  warn  serving     NODE/run/serve.sock: each pod needs an API request: the name of the node is unknown: set NODE_NAME
  ok    agent       http://127.0.0.1:PORT/readyz
`)
  expect(healthy.exitCode).toBe(0)
  const refused = await node.command('uninstall')
  expect([refused.exitCode, refused.stderr]).toEqual([1, expect.stringContaining('would install everything again')])

  agent.kill('SIGKILL')
  await agent.exit
  node.write('net/10-calico.conflist', calico)
  rmSync(node.path('sa/token'))
  writeFileSync(node.path('bin/istio-cni'), 'another')
  const broken = await node.command('status')
  expect(broken.exitCode).toBe(1)
  const text = settled(node, broken.stdout)
  expect(text).toContain('istio-cni on this node: not healthy\n')
  expect(text).toContain('  fail  binary      NODE/bin/istio-cni: content differs\n')
  expect(text).toContain('  fail  kubeconfig  NODE/sa/token: there is no token file')
  expect(text).toContain('  fail  conflist    NODE/net/10-calico.conflist: our entry is missing\n')
  expect(text).toContain('  fail  token       NODE/sa/token: it does not exist\n')
  expect(text).toContain('  fail  log socket  NODE/run/log.sock: no program listens\n')
  expect(text).toContain('  warn  serving     NODE/run/serve.sock: no program listens: the plugin decides by itself\n')
  expect(text).toContain('  fail  agent       http://127.0.0.1:PORT/readyz: no agent is running\n')
  expect(text.slice(text.indexOf('what to look at'))).toBe(`what to look at:
  - kubelet mounts and renews the token: check the service account of this pod and --service-account-dir
  - start install-cni, which installs the plugin on this node; if an agent is running, check its HEALTH_PORT
`)
  node.write('net/10-calico.conflist', '\u001b[2J{')
  const unusable = (await node.command('status')).stdout
  expect(unusable).toContain('\n  - network: check that its own plugin')
  expect(unusable + (await node.command('--dry-run')).stderr).not.toContain('\u001b')
  const json = JSON.parse((await node.command('status', '--json')).stdout)
  expect(json).toMatchObject({ healthy: false, checks: expect.any(Array) })
})

test('uninstall removes everything from a node whose agent was killed', async () => {
  await using node = agentNode()
  const agent = await node.start()
  await eventually(agent.ready, () => agent.log())
  agent.kill('SIGKILL')
  await agent.exit
  const { exitCode, stdout, stderr } = await node.command('uninstall')
  expect([exitCode, stderr]).toEqual([0, ''])
  expect(settled(node, stdout)).toBe(`replace NODE/net/10-calico.conflist
remove NODE/run/istio-cni-kubeconfig
remove NODE/bin/istio-cni
remove NODE/run/agent.json
remove NODE/run/log.sock
remove NODE/run/serve.sock
`)
  expect(node.read('net/10-calico.conflist')).toBe(calico)
  delete node.env.KUBERNETES_SERVICE_HOST
  expect((await node.command('uninstall')).stdout).toBe('istio-cni is not installed on this node\n')
})

test('uninstall --dry-run is refused, and the plugin stays', async () => {
  await using node = agentNode()
  const agent = await node.start()
  await eventually(agent.ready, () => agent.log())
  agent.kill('SIGKILL')
  await agent.exit
  const installed = node.read('net/10-calico.conflist')
  expect(await node.command('uninstall', '--dry-run')).toMatchObject({ exitCode: 2 })
  expect([node.read('net/10-calico.conflist'), node.read('bin/istio-cni')]).toEqual([installed, 'plugin v1'])
})

test('a wrong command line is refused with a hint, and nothing is started', async () => {
  await using node = agentNode()
  expect(await node.command('--cni-conf-nam=x')).toMatchObject({
    exitCode: 2,
    stderr: 'install-cni: unknown flag --cni-conf-nam, did you mean --cni-conf-name?\nTry: install-cni --help\n',
  })
  expect(await node.command('--chained-cni-plugin=maybe')).toMatchObject({ exitCode: 2 })
  expect(await node.command('instal')).toMatchObject({ exitCode: 2 })
  const help = await node.command('--help')
  expect(help).toMatchObject({ exitCode: 0, stderr: '' })
  for (const part of ['--mounted-cni-net-dir', 'MOUNTED_CNI_NET_DIR', 'EXCLUDE_NAMESPACES', '--dry-run', 'status']) {
    expect(help.stdout).toContain(part)
  }
  expect(node.names().filter((name) => name.startsWith('run/'))).toEqual([])
})
