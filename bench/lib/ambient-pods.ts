import { randomUUID } from 'node:crypto'
import { mkdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import { plainPod } from '@cni/istio-redirect/testing'
import type { ApiServer } from '@cni/kube/testing'
import { type Netns, openRtnl } from '@cni/netns'
import { tempNetns } from '@cni/netns/testing'

/** The label that decides. */
export const MODE = 'istio.io/dataplane-mode'
/** The annotation that tells. */
export const REDIRECTION = 'ambient.istio.io/redirection'
/** The node of all pods. */
export const NODE = 'bench-node'
export const NAMESPACE = 'mesh'

/** A pod of the node: a namespace with an address, and what the API server says of it. */
export interface BenchPod {
  readonly name: string
  readonly uid: string
  readonly address: string
  readonly netns: Netns & AsyncDisposable
}

/** Pods of an agent, without processes: a file in `/run/netns` each. */
export async function makePods(of: string, count: number): Promise<BenchPod[]> {
  const pods: BenchPod[] = []
  for (let index = 0; index < count; index += 1) {
    pods.push(await makePod(`bench-${process.pid}-${of}-${index}`, index))
  }
  return pods
}

/** One of them; its address is that of the index. */
export async function makePod(name: string, index: number): Promise<BenchPod> {
  const netns = await tempNetns({ name })
  const number = index + 1
  const address = `10.77.${(number >> 8) & 255}.${number & 255}`
  using rtnl = await openRtnl(netns)
  await rtnl.addAddress('lo', `${address}/32`)
  return { name, uid: randomUUID(), address, netns }
}

/** Says of a pod how it is: scheduled, or running; and whether it is to be in the mesh. */
export function tell(
  api: ApiServer,
  { name, uid, address }: BenchPod,
  { mesh, runs }: { readonly mesh: boolean; readonly runs: boolean },
): void {
  const made = plainPod({ name, namespace: NAMESPACE, labels: mesh ? { [MODE]: 'ambient' } : { [MODE]: 'none' } })
  const annotations = api.getPod(NAMESPACE, name)?.metadata.annotations
  api.setPod({
    ...made,
    metadata: { ...made.metadata, uid, ...(annotations === undefined ? {} : { annotations }) },
    spec: { ...made.spec, nodeName: NODE, serviceAccountName: 'bench' },
    status: runs ? { phase: 'Running', podIP: address, podIPs: [{ ip: address }] } : { phase: 'Pending' },
  })
}

/** How far the agent says that a pod is. */
export const statusOf = (api: ApiServer, { name }: BenchPod): string | undefined =>
  api.getPod(NAMESPACE, name)?.metadata.annotations?.[REDIRECTION]

/** What the plugin sends when a pod starts. */
export const eventOf = ({ name, address }: BenchPod): string =>
  JSON.stringify({
    Netns: `/var/run/netns/${name}`,
    PodName: name,
    PodNamespace: NAMESPACE,
    IPs: [{ Interface: 0, Address: { IP: address, Mask: '/////w==' }, Gateway: '' }],
  })

/** A procfs in which each pod has a process, below the root folder of an agent. */
export function showProcesses(root: string, pods: readonly BenchPod[]): void {
  rmSync(join(root, 'host/proc'), { recursive: true, force: true })
  // That of whoever looks: the agent is on the node's network.
  show(procFolder(root, 1), '/proc/self/ns/net', '/init.scope')
  for (const [index, pod] of pods.entries()) showProcess(root, 1000 + index, pod)
}

/** Adds a process of a pod to it. */
export function showProcess(root: string, pid: number, { name, uid }: BenchPod): void {
  const container = uid.replaceAll('-', '').repeat(2)
  show(procFolder(root, pid), `/host/var/run/netns/${name}`, `/kubepods/besteffort/pod${uid}/${container}`)
}

/** The process has ended. */
export const hideProcess = (root: string, pid: number): void =>
  rmSync(procFolder(root, pid), { recursive: true, force: true })

// internal

const procFolder = (root: string, pid: number): string => join(root, 'host/proc', String(pid))

function show(folder: string, namespace: string, cgroup: string): void {
  const pid = basename(folder)
  mkdirSync(join(folder, 'ns'), { recursive: true })
  symlinkSync(namespace, join(folder, 'ns/net'))
  writeFileSync(join(folder, 'cgroup'), `0::${cgroup}\n`)
  writeFileSync(join(folder, 'stat'), `${pid} (pause) S ${'0 '.repeat(18)}${pid} 0`)
  writeFileSync(join(folder, 'comm'), 'pause\n')
}
