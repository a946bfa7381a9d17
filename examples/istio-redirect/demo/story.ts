import { createHash } from 'node:crypto'
import { readFileSync, statSync } from 'node:fs'
import { networkInterfaces, release } from 'node:os'
import { fileURLToPath } from 'node:url'
import { run } from '@cni/host'
import { meshPod } from '@cni/istio-redirect/testing'
import { LOOPBACK, type Node, startApp, startNode, startProxy } from '@cni/istio-redirect/testing/node'
import { type Netns, netns } from '@cni/netns'
import { toErrorDocument } from '@cni/types'
import { attempt, attempts } from './connections.ts'
import type { CheckOutcome, Facts } from './facts.ts'
import { hideFolder } from './hide-folder.ts'
import { hidePrograms } from './hide-programs.ts'
import { KEPT_FOLDER, NODE_NETNS, POD_NETNS } from './keep.ts'
import { connectionText, type Narrator, narrator, picture, pluginRunText } from './narrate.ts'
import type { DemoOptions } from './options.ts'
import { ownRules, type Rules, rulesByNetlink, rulesByPrograms } from './rules.ts'

/** Path of the compiled plugin. `npm run build` creates it. */
const PLUGIN = fileURLToPath(new URL('../../../dist/bin/istio-cni', import.meta.url))

const POD = meshPod({
  namespace: 'shop',
  name: 'checkout-5d9c7',
  annotations: { 'traffic.sidecar.istio.io/excludeOutboundPorts': '9090' },
  proxy: { env: [{ name: 'ISTIO_DUAL_STACK', value: 'true' }] },
})

const ATTACHMENT = {
  containerID: 'cni-demo-0001',
  netns: POD_NETNS,
  ifName: 'eth0',
  args: [
    ['IgnoreUnknown', '1'],
    ['K8S_POD_NAMESPACE', POD.metadata.namespace],
    ['K8S_POD_NAME', POD.metadata.name],
  ],
} as const

/** Runs the sidecar demo in the throw-away node, from ADD to DEL. Returns the exit code. */
export async function runStory(options: DemoOptions & { folder: string }): Promise<0 | 1> {
  const started = performance.now()
  const tell = narrator(options.json ? process.stderr : process.stdout)
  hideFolder('/run/netns')
  const hidden = options.withoutIptables ? hidePrograms() : undefined
  using pod = netns.create('cni-demo-pod')
  await using node = await startNode({
    folder: options.folder,
    target: 'host',
    plugin: PLUGIN,
    pods: [POD],
    conf: { plugin_log_level: 'warn', exclude_namespaces: ['kube-system'] },
  })
  const rulesOfPod = hidden === undefined ? await rulesByPrograms(pod) : rulesByNetlink(pod)
  const parts = await setTheStage(tell, options.folder, pod, { by: rulesOfPod.by, hidden })
  const { result, ips } = await add(tell, node)
  const connections = await connect(tell, pod, ips)
  const rules = await showRules(tell, rulesOfPod)
  for (const line of picture({ connections })) tell.line(line)
  const check = await tamper(tell, node, rulesOfPod)
  const ending = options.keep ? await leave(tell, node) : await del(tell, node, pod, rulesOfPod)
  const facts: Facts = {
    as_expected: true,
    ...parts,
    conflist: node.conflist,
    plugin_runs: node.runs,
    api_requests: node.api.requests.map(({ method, url }) => `${method} ${url}`),
    result,
    rules,
    connections,
    check,
    ...ending,
    pod: { ...parts.pod, ips: [ips.ipv4, ips.ipv6] },
    total_ms: Math.round(performance.now() - started),
  }
  facts.as_expected = isAsExpected(facts)
  tell.line()
  if (facts.as_expected) tell.ok(`everything was as it should be, ${facts.total_ms} ms in all`)
  else tell.bad('something was not as it should be: see the lines marked ✗')
  if (options.json) process.stdout.write(`${JSON.stringify(facts, null, 2)}\n`)
  return facts.as_expected ? 0 : 1
}

async function setTheStage(
  tell: Narrator,
  folder: string,
  pod: Netns,
  { by, hidden }: { by: string; hidden: string[] | undefined },
): Promise<Pick<Facts, 'machine' | 'plugin' | 'node' | 'pod'>> {
  const version = await run([PLUGIN], { env: { CNI_COMMAND: 'VERSION' } })
  using here = netns.current()
  const facts = {
    machine: { kernel: release(), node: process.version, iptables: by, ...(hidden && { hidden }) },
    plugin: {
      file: PLUGIN,
      bytes: statSync(PLUGIN).size,
      sha256: createHash('sha256').update(readFileSync(PLUGIN)).digest('hex'),
      version: JSON.parse(version.stdout),
    },
    node: { netns: `net:[${here.ino}]`, folder },
    pod: {
      namespace: POD.metadata.namespace,
      name: POD.metadata.name,
      netns: `net:[${pod.ino}]`,
      ips: [],
      annotations: POD.metadata.annotations ?? {},
    },
  }
  tell.chapter('A throw-away node on this machine, every part real')
  tell.line(`   node      ${facts.node.netns}, a network and mount namespace of its own; folder ${folder}`)
  tell.line(`   pod       ${facts.pod.netns}, ${facts.pod.namespace}/${facts.pod.name}, still without an interface`)
  tell.line('   chain     loopback; bridge → host-local (Debian’s, in Go) → istio-cni (ours)')
  tell.line(
    `   istio-cni one file of ${(facts.plugin.bytes / 1e6).toFixed(0)} MB, sha256 ${facts.plugin.sha256.slice(0, 16)}…, VERSION in ${version.durationMs.toFixed(0)} ms`,
  )
  tell.line(`   machine   Linux ${facts.machine.kernel}, ${by}`)
  if (hidden !== undefined) tell.line(`   gone      ${hidden.join(', ') || 'nothing: there was no such program'}`)
  return facts
}

async function add(tell: Narrator, node: Node): Promise<{ result: unknown; ips: { ipv4: string; ipv6: string } }> {
  tell.chapter('ADD: the runtime executes the chain for the pod')
  await node.runtime.add(LOOPBACK, { ...ATTACHMENT, ifName: 'lo' })
  const { result } = await node.runtime.add(node.conflist, ATTACHMENT)
  for (const run of node.runs) tell.ok(pluginRunText(run))
  for (const { method, url } of node.api.requests)
    tell.line(`     istio-cni asked the API server over TLS: ${method} ${url}`)
  const addresses = (result.ips ?? []).map((ip) => ip.address.split('/')[0] ?? '')
  const ips = {
    ipv4: addresses.find((address) => !address.includes(':')) ?? '',
    ipv6: addresses.find((address) => address.includes(':')) ?? '',
  }
  tell.line(`     the pod has eth0 with ${ips.ipv4} and ${ips.ipv6}`)
  return { result, ips }
}

async function connect(tell: Narrator, pod: Netns, ips: { ipv4: string; ipv6: string }): Promise<Facts['connections']> {
  tell.chapter('Traffic: ordinary processes, real connections')
  await using proxy = await startProxy(pod)
  await using app = await startApp(pod, { name: 'app', uid: 1000, ports: [8080, 15021] })
  await using server = await startApp('host', { name: 'server', uid: 1001, ports: [8080, 9090] })
  tell.line(
    `   proxy (pid ${proxy.pid}, uid 1337, ports 15001 and 15006) and app (pid ${app.pid}, uid 1000) in the pod,`,
  )
  tell.line(`   server (pid ${server.pid}, ports 8080 and 9090) on the node; each answers with its name`)
  const connections: Facts['connections'] = []
  for (const wanted of attempts(ips)) {
    const connection = await attempt(pod, wanted)
    connections.push(connection)
    tell.line(`     ${connection.what}`)
    if (connection.as_expected) tell.ok(connectionText(connection))
    else tell.bad(`${connectionText(connection)}; expected ${JSON.stringify(connection.expected)}`)
  }
  return connections
}

async function showRules(tell: Narrator, rulesOfPod: Rules): Promise<Facts['rules']> {
  const rules = await ownRules(rulesOfPod)
  tell.chapter(`The rules that did it: ${rules.ipv4.length} for IPv4, ${rules.ipv6.length} for IPv6`)
  const counted = rules.ipv4[0]?.startsWith('[') === true
  tell.line(
    counted
      ? '   those that saw packets, with the kernel’s own [packets:bytes] counters:'
      : '   those of IPv4, as iptables-save would print them:',
  )
  for (const line of rules.ipv4.filter((rule) => !rule.startsWith('[0:0]'))) tell.line(`     ${line}`)
  tell.line()
  return rules
}

async function tamper(tell: Narrator, node: Node, rulesOfPod: Rules): Promise<Facts['check']> {
  tell.chapter('CHECK: it really looks')
  const untouched = await check(node)
  if (untouched.passed) tell.ok('untouched: CHECK passes')
  else tell.bad(`untouched, and yet CHECK fails: ${untouched.msg}`)
  const tampered_with = await rulesOfPod.spoil()
  tell.line(`     somebody runs in the pod: ${tampered_with}`)
  const tampered = await check(node)
  if (tampered.passed) tell.bad('CHECK does not notice')
  else {
    tell.ok(`CHECK fails with code ${tampered.code}: ${tampered.msg}`)
    for (const line of tampered.details.split('\n')) tell.line(`       ${line}`)
  }
  return { untouched, tampered_with, tampered }
}

async function check(node: Node): Promise<CheckOutcome> {
  try {
    await node.runtime.check(node.conflist, ATTACHMENT)
    return { passed: true }
  } catch (error) {
    const { code, msg, details = '' } = toErrorDocument(error)
    return { passed: false, code, msg, details }
  }
}

async function del(tell: Narrator, node: Node, pod: Netns, rulesOfPod: Rules): Promise<Pick<Facts, 'left_behind'>> {
  tell.chapter('DEL: nothing stays')
  const before = node.runs.length
  await node.runtime.del(node.conflist, ATTACHMENT)
  await node.runtime.del(LOOPBACK, { ...ATTACHMENT, ifName: 'lo' })
  for (const run of node.runs.slice(before)) tell.ok(pluginRunText(run))
  const left_behind = {
    rules: Object.values(await ownRules(rulesOfPod)).flat(),
    state: node.stateFiles(),
    addresses: node.leases(),
    interfaces: netns.run(pod, () => Object.keys(networkInterfaces())).filter((name) => name !== 'lo'),
  }
  for (const [what, left] of Object.entries(left_behind)) {
    if (left.length === 0) tell.ok(`no ${what} left`)
    else tell.bad(`${what} left: ${left.join(', ')}`)
  }
  return { left_behind }
}

/** Asks the parent process, which runs outside the namespaces, to keep the namespaces. */
async function leave(tell: Narrator, node: Node): Promise<Pick<Facts, 'kept'>> {
  tell.chapter('Kept for exploring (DEL was not run; the rule that was deleted is still missing)')
  await new Promise<void>((resolve, reject) => {
    process.once('message', () => resolve())
    if (process.send?.('keep') === undefined) reject(new Error('--keep needs the process that made the node'))
  })
  process.disconnect?.()
  tell.line(`   enter the pod    nsenter --net=${POD_NETNS}        e.g. nsenter --net=${POD_NETNS} iptables-save`)
  tell.line(`   enter the node   nsenter --net=${NODE_NETNS}`)
  tell.line(`   configuration    ${node.confDir}, state ${node.runDir}/attachments`)
  tell.line('   remove it all    npm run demo -- --clean')
  return { kept: { pod: POD_NETNS, node: NODE_NETNS, folder: KEPT_FOLDER } }
}

function isAsExpected({ connections, check, left_behind, kept }: Facts): boolean {
  const clean =
    kept !== undefined || (left_behind !== undefined && Object.values(left_behind).every((left) => left.length === 0))
  const checked = check.untouched.passed && !check.tampered.passed && check.tampered.code === 100
  return clean && checked && connections.every(({ as_expected }) => as_expected)
}
