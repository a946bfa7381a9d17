import { type Netns, netns } from '@cni/netns'
import { afterAll, beforeAll, expect, test } from 'vitest'
import {
  startTransparentZtunnel,
  type TransparentZtunnel,
} from '../../packages/istio-redirect/src/testing/node/ztunnel/transparent-ztunnel.ts'
import { agentLog, install, NAMESPACE as SYSTEM, status, uninstall } from './agent.ts'
import { apply, kubectl, type Pod, pod, ready, shell, until } from './cluster.ts'
import { type NodeRoot, nodeRoot } from './node-root.ts'
import { get, NAMESPACE, pidOf, remove, workload } from './workloads.ts'

/** The network of this cluster is a bridge. The mode with tunnels refuses bridges. */
const MODE = 'node-ebpf'
const labels = { suite: 'ambient-on-node' }
const ZTUNNEL = 'ztunnel-1'

let before: string
let root: NodeRoot
let inside: Netns
let ztunnel: TransparentZtunnel
let outside: Pod

beforeAll(async () => {
  await shell('echo 2 > /proc/sys/net/ipv4/conf/all/rp_filter')
  before = await nodeState()
  await install('profile=ambient', `ambient.redirectMode=${MODE}`)
  root = await nodeRoot()
  const base = workload({ name: ZTUNNEL, labels: { ...labels, app: 'ztunnel' } })
  await apply({ ...base, metadata: { ...base.metadata, namespace: SYSTEM } })
  const own = await ready(SYSTEM, ZTUNNEL)
  inside = await namespaceOf(own)
  ztunnel = startTransparentZtunnel(inside)
  await apply(workload({ name: 'outside', labels }))
  outside = await ready(NAMESPACE, 'outside')
})
afterAll(async () => {
  await kubectl(['label', 'namespace', NAMESPACE, 'istio.io/dataplane-mode-'], { reject: false })
  await remove('suite=ambient-on-node')
  await kubectl(['delete', 'pod', '-n', SYSTEM, ZTUNNEL, '--now', '--ignore-not-found'])
  await uninstall()
  await ztunnel[Symbol.asyncDispose]()
  inside.close()
  await root[Symbol.asyncDispose]()
})

test('a ztunnel serves the node, with the settings of this mode', async () => {
  await until('it serves', async () => (await status()).includes(`${SYSTEM}/${ZTUNNEL} serves`)).catch(async () => {
    expect(`${await status()}\n${await agentLog()}`).toContain(`${SYSTEM}/${ZTUNNEL} serves`)
  })
  expect(await status()).toContain('IPv4 only')
  expect(await shell('cat /proc/sys/net/ipv4/conf/all/rp_filter')).toBe('0\n')
})

test('pods of a namespace that gets the label join, and their traffic passes through ztunnel', async () => {
  await apply(workload({ name: 'member', labels }))
  const member = await ready(NAMESPACE, 'member')
  await kubectl(['label', 'namespace', NAMESPACE, 'istio.io/dataplane-mode=ambient'])
  await until('it is enrolled', async () => (await redirection('member')) === 'enabled')
  const passed = ztunnel.forwarded.length
  expect(await get('member', `http://${outside.status.podIP}:8080/`)).toContain('app outside')
  expect(ztunnel.forwarded.slice(passed)).toContainEqual(
    expect.objectContaining({ direction: 'outbound', from: member.status.podIP, to: `${outside.status.podIP}:8080` }),
  )
})

test('a pod that starts there is in the mesh before its containers start', async () => {
  await apply(workload({ name: 'born', labels }))
  await ready(NAMESPACE, 'born')
  expect(await redirection('born')).toBe('enabled')
})

test('the chart leaves the node as it was: programs, pins, settings', async () => {
  await uninstall()
  await until('nothing of it is left', async () => (await nodeState()) === before, 20_000).catch(async () => {
    expect(await nodeState()).toBe(before)
  })
  expect(await get('member', `http://${outside.status.podIP}:8080/`)).toContain('app outside')
})

const redirection = async (name: string): Promise<string | undefined> =>
  (await pod(NAMESPACE, name)).metadata.annotations?.['ambient.istio.io/redirection']

/** The network namespace of a pod, opened by the process of one of its containers. */
async function namespaceOf(one: Pod): Promise<Netns> {
  const inode = await shell(`stat -Lc %i /proc/${await pidOf(one)}/ns/net`)
  const path = await shell(
    `for n in /var/run/netns/*; do [ "$(stat -Lc %i $n)" = ${inode.trim()} ] && echo $n; done; true`,
  )
  return netns.open(`${root.path}${path.trim()}`)
}

/** Traces of node-level redirection in the kernel, and its settings. */
const nodeState = (): Promise<string> =>
  shell(`cd /; ls sys/fs/bpf 2>/dev/null || true; cat proc/sys/net/ipv4/conf/{all,default}/rp_filter
    ip rule; for link in $(ls sys/class/net); do tc filter show dev $link ingress; tc filter show dev $link egress; done
    ls etc/ambient-config/* run/istio-cni/ambient-node-level.json 2>/dev/null || true`)
