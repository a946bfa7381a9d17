import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { startZtunnel, type Ztunnel } from '../../packages/istio-redirect/src/testing/node/ztunnel/ztunnel.ts'
import { atRest, install, memory, nodeFiles, SELECTOR, NAMESPACE as SYSTEM, uninstall } from './agent.ts'
import { apply, isReady, kubectl, type Pod, pod, pods, ready, shell, until } from './cluster.ts'
import { type NodeRoot, nodeRoot } from './node-root.ts'
import { get, NAMESPACE, remove, rulesIn, workload } from './workloads.ts'

/** Sets of addresses in rules of iptables need programs: the chart refuses the image without programs. */
const it = test.skipIf(process.env.CNI_IMAGE_VARIANT === 'minimal')
const labels = { suite: 'ambient' }
const MEMBER = { 'istio.io/dataplane-mode': 'ambient' }

let before: string
let root: NodeRoot
let ztunnel: Ztunnel
let outside: Pod

beforeAll(async () => {
  before = await atRest(hostState)
  await install('profile=ambient', 'resources.limits.memory=96Mi')
  root = await nodeRoot()
  // The stand-in for ztunnel on the node: it gets pods from the agent, enters them, and forwards connections.
  ztunnel = startZtunnel({ path: join(root.path, 'run/ztunnel/ztunnel.sock') })
  await until('ztunnel knows all pods', async () => ztunnel.ready)
  await apply(workload({ name: 'outside', labels }))
  outside = await ready(NAMESPACE, 'outside')
})
afterAll(async () => {
  await remove('suite=ambient')
  await uninstall()
  await ztunnel[Symbol.asyncDispose]()
  await root[Symbol.asyncDispose]()
})

it('a pod that gets the label joins while it runs, and leaves when the label goes', async () => {
  await apply(workload({ name: 'joins', labels }))
  const joins = await ready(NAMESPACE, 'joins')
  await kubectl(['label', 'pod', '-n', NAMESPACE, 'joins', 'istio.io/dataplane-mode=ambient'])
  await until('it is enrolled', async () => (await redirection('joins')) === 'enabled')
  expect(ztunnel.pods.get(joins.metadata.uid)?.workload.name).toBe('joins')
  expect(await rulesIn(joins)).toContain('ISTIO_OUTPUT')

  expect(await get('joins', `http://${outside.status.podIP}:8080/`)).toContain('app outside')
  expect(forwardedTo(outside, 'outbound')).toBe(1)
  expect(await get('outside', `http://${joins.status.podIP}:8080/`)).toContain('app joins')
  expect(forwardedTo(joins, 'inbound')).toBe(1)
  // The kubelet probes the pod once a second.
  expect(isReady(await pod(NAMESPACE, 'joins'))).toBe(true)

  await kubectl(['label', 'pod', '-n', NAMESPACE, 'joins', 'istio.io/dataplane-mode-'])
  await until('it has left', async () => (await redirection('joins')) === undefined)
  await until('ztunnel has left it', async () => !ztunnel.pods.has(joins.metadata.uid))
  expect(await rulesIn(joins)).not.toContain('ISTIO')
  expect(await get('outside', `http://${joins.status.podIP}:8080/`)).toContain('app joins')
  expect(forwardedTo(joins, 'inbound')).toBe(1)
})

it('a pod that starts with the label is enrolled before its containers start', async () => {
  await apply(workload({ name: 'born', labels: { ...labels, ...MEMBER } }))
  const born = await ready(NAMESPACE, 'born')
  expect(ztunnel.pods.get(born.metadata.uid)?.workload.name).toBe('born')
  expect(await get('outside', `http://${born.status.podIP}:8080/`)).toContain('app born')
  expect(forwardedTo(born, 'inbound')).toBe(1)
})

it('the agent works within a limit of 96 MiB', async () => {
  const [agent] = await pods(SYSTEM, SELECTOR)
  expect(agent?.status.containerStatuses?.map(({ restartCount }) => restartCount)).toEqual([0])
  const { anonymous, workingSet } = await memory()
  expect(anonymous).toBeLessThan(60)
  expect(workingSet).toBeLessThan(96)
})

it('the chart leaves the node as it was: rules, sets, files', async () => {
  await remove('suite=ambient')
  await uninstall()
  await until('nothing of it is left', async () => (await hostState()) === before, 20_000).catch(async () => {
    expect(await hostState()).toBe(before)
  })
})

const redirection = async (name: string): Promise<string | undefined> =>
  (await pod(NAMESPACE, name)).metadata.annotations?.['ambient.istio.io/redirection']

const forwardedTo = ({ status }: Pod, direction: 'inbound' | 'outbound'): number =>
  ztunnel.forwarded.filter((one) => one.direction === direction && one.to === `${status.podIP}:8080`).length

/**
 * Files, and the kernel state of the node's network namespace without addresses of pods. The remembered choice of
 * iptables is left out: it stays until the node starts again.
 */
async function hostState(): Promise<string> {
  const kernel = await shell(
    'iptables-save; ip6tables-save; nft list tables; ipset list -n 2>/dev/null || true; ip rule; ip -6 rule',
  )
  const files = (await nodeFiles()).replace('run/istio-cni/ambient-backend.json\n', '')
  return `${files}${kernel.replaceAll(/^(#|:[A-Z]+ ).*\n/gm, '').replaceAll(/^.*(CNI-|10\.244\.).*\n/gm, '')}`
}
