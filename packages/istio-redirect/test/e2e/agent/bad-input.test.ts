import { mkdirSync, rmSync, truncateSync } from 'node:fs'
import { type ApiServer, type Misbehaviour, startApiServer } from '@cni/kube/testing'
import { expect, test } from 'vitest'
import { repairGrants } from '../../../src/testing/grants.ts'
import { validatedPod } from '../../repair/repair-fixture.ts'
import {
  AGENT,
  type AgentNode,
  type AgentProcess,
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
const isInstalled = (node: AgentNode): boolean => node.read(conflist) === withEntry(calico, entryOf(node))

const metric = async (port: number, name: string): Promise<number> => {
  const { body } = await ask({ port, path: '/metrics' })
  return Number(
    body
      .split('\n')
      .find((line) => line.startsWith(`${name} `))
      ?.slice(name.length + 1) ?? 0,
  )
}

/** The control characters of a text that affect a terminal. */
const controls = (text: string): string[] => [...text].filter((one) => /\p{Cc}/u.test(one) && !/[\n\t]/.test(one))

/** Time of the agent's first line with this text, in milliseconds by the agent's clock. */
const timeOf = (agent: AgentProcess, said: string): number =>
  Date.parse(
    agent
      .log()
      .split('\n')
      .find((line) => line.includes(said))
      ?.split('\t')[0] ?? '',
  )

/** Starts an agent that labels broken pods, at this API server. */
async function repairing(node: AgentNode, api: ApiServer): Promise<{ agent: AgentProcess; port: number }> {
  node.write('sa/token', `${api.token}\n`)
  node.write('sa/ca.crt', api.ca)
  const { hostname, port: apiPort } = new URL(api.url)
  const port = await freePort()
  const env = {
    REPAIR_LABEL_PODS: 'true',
    REPAIR_NODE_NAME: 'n1',
    KUBERNETES_SERVICE_HOST: hostname,
    KUBERNETES_SERVICE_PORT: apiPort,
    MONITORING_PORT: String(port),
  }
  const agent = await node.start({ argv: ['--log_output_level=all:debug'], env })
  return { agent, port }
}

test.concurrent.for<[string, Misbehaviour, string]>([
  ['answers with garbage', { body: '\u001b[2J\u0000<html>' }, 'bad_answer'],
  [
    'answers 401 and repeats our header',
    { status: 401, body: '{"message":"Bearer se.cr.et\\u001b[2J"}' },
    'status_401',
  ],
  ['answers 403', { status: 403 }, 'status_403'],
  ['answers 410', { status: 410 }, 'status_410'],
  ['answers 429', { status: 429, headers: { 'retry-after': '1' } }, 'status_429'],
  ['answers 500 with a body that is none', { status: 500, body: '\u0000'.repeat(1000) }, 'status_500'],
  ['closes in the middle of a body', { partial: '{"items":[{"meta' }, 'network'],
  ['never ends its body', { endless: true }, 'bad_answer'],
])('an API server that %s: a log line, a metric and a pause, and the node is unchanged', async ([, how, type]) => {
  await using node = agentNode()
  const pods = [validatedPod(126)]
  await using api = await startApiServer({ pods, grants: repairGrants.label, token: 'se.cr.et' })
  api.misbehave(how)
  const { agent, port } = await repairing(node, api)
  await eventually(agent.ready, () => agent.log())
  await eventually(
    async () => (await metric(port, `istio_cni_repair_errors_total{type="${type}"}`)) === 1,
    () => agent.log(),
  )
  await eventually(
    () => /cannot watch pods: GET (https:\/\/|\/api\/)/.test(agent.log()),
    () => agent.log(),
  )
  await eventually(
    async () => (await metric(port, 'istio_cni_repair_pods_repaired_total{type="label",result="success"}')) === 1,
    () => agent.log(),
  )
  await eventually(
    () => agent.log().includes('pods are watched again'),
    () => agent.log(),
  )
  // A second minus at most a quarter of random jitter.
  expect(timeOf(agent, 'pods are watched again') - timeOf(agent, 'cannot watch pods')).toBeGreaterThan(500)
  expect(api.requests.length).toBeLessThan(12)
  expect(cpuMs(agent.pid)).toBeLessThan(2500)
  agent.kill('SIGTERM')
  expect(await agent.exit).toEqual({ code: 0, signal: null })
  expect(agent.log()).not.toContain('se.cr.et')
  expect(controls(agent.log())).toEqual([])
  expect(node.read(conflist)).toBe(calico)
})

test('an API server that refuses, hangs and stays away costs no processor time', async () => {
  await using node = agentNode()
  await using api = await startApiServer({ token: 'se.cr.et' })
  api.misbehave(...Array.from({ length: 3 }, () => ({ cut: true })), { hang: true })
  const { agent } = await repairing(node, api)
  await eventually(agent.ready, () => agent.log())
  await eventually(
    () => api.requests.length >= 2,
    () => agent.log(),
  )
  const before = cpuMs(agent.pid)
  await new Promise((resolve) => setTimeout(resolve, 1000))
  expect(cpuMs(agent.pid) - before).toBeLessThan(150)
  expect(await agent.ready()).toBe(true)
})

test.concurrent.for<[string, string | undefined, RegExp | undefined]>([
  ['is empty', '', undefined],
  ['vanishes', undefined, undefined],
  ['holds a newline only', '\n', undefined],
  ['ends with a newline', 'new.token\n', /token: \|\n {6}new\.token\n/],
  ['is made of digits', '1234567', /token: "1234567"/],
  ['is hostile', 'a: b\n- "c', /token: \|-?\n {6}a: b\n {6}- "c/],
])('a token that %s', async ([, token, written]) => {
  await using node = agentNode()
  const port = await freePort()
  const agent = await node.start({ env: { MONITORING_PORT: String(port) } })
  await eventually(agent.ready, () => agent.log())
  const kubeconfig = () => node.read('run/istio-cni-kubeconfig')
  const old = kubeconfig()
  if (token === undefined) rmSync(node.path('sa/token'))
  else node.write('sa/token', token)
  if (written === undefined) {
    await eventually(async () => (await agent.get('/readyz?verbose')).body.includes('token file'), 'not ready')
    expect(await metric(port, 'istio_cni_installs_total{result="CREATE_KUBECONFIG_FAILURE"}')).toBeGreaterThan(0)
    // The last valid token may still be accepted.
    expect([kubeconfig(), isInstalled(node)]).toEqual([old, true])
    node.write('sa/token', 'a.new.one')
    await eventually(() => kubeconfig().includes('token: a.new.one\n'), 'the new token')
  } else {
    await eventually(() => written.test(kubeconfig()), kubeconfig)
  }
  await eventually(agent.ready, () => agent.log())
  expect(agent.log()).not.toMatch(/se\.cr\.et|new\.token|1234567|a\.new\.one/)
  expect(agent.log().split('\n').length).toBeLessThan(30)
})

const damages: readonly (readonly [string, (node: AgentNode) => void, RegExp])[] = [
  [
    'a huge file',
    (node) => {
      node.write('config/CNI_CONF_NAME', '')
      truncateSync(node.path('config/CNI_CONF_NAME'), 2 ** 33)
    },
    /CNI_CONF_NAME.*8589934592 bytes, more than/,
  ],
  [
    'control characters',
    (node) => node.write('config/CNI_CONF_NAME', 'x\u001b[2J\n\u0000.conf'),
    /CNI_CONF_NAME has the value "x\\u001b/,
  ],
  ['a path', (node) => node.write('config/CNI_CONF_NAME', '../../x.conf'), /CNI_CONF_NAME has the value/],
  [
    'YAML that is none',
    (node) => node.write('config/AMBIENT_ENABLEMENT_SELECTOR', '- {{{'),
    /AMBIENT_ENABLEMENT_SELECTOR/,
  ],
  ['a folder that vanished', (node) => rmSync(node.path('config'), { recursive: true }), /--config-dir.*ENOENT/],
]

test.concurrent.for(damages)(
  '%s as configuration is refused at the start, and not used later',
  async ([, damage, says]) => {
    await using node = agentNode()
    const argv = [`--config-dir=${node.path('config')}`]
    mkdirSync(node.path('config'))
    const port = await freePort()
    const agent = await node.start({ argv, env: { MONITORING_PORT: String(port) } })
    await eventually(agent.ready, () => agent.log())
    damage(node)
    const refusals = () => metric(port, 'istio_cni_agent_errors_total{part="configuration"}')
    await eventually(
      async () => (await refusals()) > 0,
      () => agent.log(),
    )
    for (let more = 0; more < 3; more += 1) agent.kill('SIGHUP')
    await eventually(async () => (await refusals()) > 1, 'asked again')
    expect(agent.log()).toMatch(says)
    expect(agent.log().split('the new configuration is invalid').length - 1).toBe(1)
    expect([await agent.ready(), isInstalled(node)]).toEqual([true, true])

    const second = await node.start({ argv, env: { CNI_AGENT_RUN_DIR: node.path('other') } })
    expect(await second.exit).toEqual({ code: 1, signal: null })
    expect(second.log()).toMatch(says)
    expect(controls(agent.log() + second.log())).toEqual([])
    rmSync(node.path('config'), { recursive: true, force: true })
    mkdirSync(node.path('config'))
    node.write('config/EXCLUDE_NAMESPACES', 'kept')
    agent.kill('SIGHUP')
    await eventually(
      () => node.read(conflist).includes('"kept"'),
      () => agent.log(),
    )
  },
)

/** Runs the agent in a mount namespace of its own, after a command there. */
const mounted = (prepare: string) => ['unshare', '--mount', 'sh', '-c', `${prepare} && exec "$0" "$@"`, AGENT] as const

test.concurrent.for<[string, (run: string) => string, (run: string) => string, RegExp]>([
  [
    'read-only',
    (run) => `mount --bind ${run} ${run} && mount -o remount,ro,bind ${run}`,
    (run) => `mount -o remount,rw,bind ${run}`,
    /read-only/,
  ],
  [
    'a full disk',
    (run) => `mount -t tmpfs -o size=16k none ${run} && (yes > ${run}/filler 2>/dev/null; true)`,
    (run) => `rm ${run}/filler`,
    /full/,
  ],
])(
  'a run directory that is %s: told of, pods start without the plugin, healed when it is in order',
  async ([, prepare, repair, says]) => {
    await using node = agentNode()
    // An earlier run left the entry, and its kubeconfig is missing.
    node.write(conflist, withEntry(calico, entryOf(node)))
    const port = await freePort()
    const run = node.path('run')
    const agent = await node.start({ file: mounted(prepare(run)), env: { MONITORING_PORT: String(port) } })
    await eventually(
      () => node.read(conflist) === calico,
      () => agent.log(),
    )
    await eventually(
      () => says.test(agent.log()),
      () => agent.log(),
    )
    expect(await metric(port, 'istio_cni_installs_total{result="CREATE_KUBECONFIG_FAILURE"}')).toBeGreaterThan(0)
    expect((await agent.get('/readyz?verbose')).body).toMatch(says)
    await node.run('nsenter', '--mount', '--target', String(agent.pid), 'sh', '-c', repair(run))
    await eventually(agent.ready, () => agent.log())
    expect(isInstalled(node)).toBe(true)
    agent.kill('SIGTERM')
    expect(await agent.exit).toEqual({ code: 0, signal: null })
    expect(node.read(conflist)).toBe(calico)
  },
)
