import { randomUUID } from 'node:crypto'
import { mkdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import { plainPod } from '@cni/istio-redirect/testing'
import type { ApiServer } from '@cni/kube/testing'
import { type Netns, openRtnl } from '@cni/netns'
import { tempNetns } from '@cni/netns/testing'
import { NODE } from '../agent/measured-agents.ts'

/** Pod label that requests ambient mode. */
export const MODE = 'istio.io/dataplane-mode'
/** Pod annotation with which the agent confirms ambient mode. */
export const REDIRECTION = 'ambient.istio.io/redirection'
export const NAMESPACE = 'mesh'

/** A pod of the benchmark's node: its network namespace, its address, and its object in the API server. */
export interface BenchPod {
  readonly name: string
  readonly uid: string
  readonly address: string
  readonly netns: Netns & AsyncDisposable
}

/** Creates pods that have a namespace in `/run/netns` and no processes. */
export async function makePods(of: string, count: number): Promise<BenchPod[]> {
  const pods: BenchPod[] = []
  for (let index = 0; index < count; index += 1) {
    pods.push(await makePod(`bench-${process.pid}-${of}-${index}`, index))
  }
  return pods
}

/** Creates one pod of the benchmark. The number `index` determines the pod's address. */
export async function makePod(name: string, index: number): Promise<BenchPod> {
  const netns = await tempNetns({ name })
  const number = index + 1
  const address = `10.77.${(number >> 8) & 255}.${number & 255}`
  using rtnl = await openRtnl(netns)
  await rtnl.addAddress('lo', `${address}/32`)
  return { name, uid: randomUUID(), address, netns }
}

/** Publishes a pod in the simulated API server: scheduled or running, with or without the mesh label. */
export function publishPod(
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

/** Value of the annotation by which the agent shows if a pod is in the mesh. */
export const statusOf = (api: ApiServer, { name }: BenchPod): string | undefined =>
  api.getPod(NAMESPACE, name)?.metadata.annotations?.[REDIRECTION]

/** JSON text of the event that the plugin sends to the agent when a pod starts. */
export const eventOf = ({ name, address }: BenchPod): string =>
  JSON.stringify({
    Netns: `/var/run/netns/${name}`,
    PodName: name,
    PodNamespace: NAMESPACE,
    IPs: [{ Interface: 0, Address: { IP: address, Mask: '/////w==' }, Gateway: '' }],
  })

/** Creates a `/proc` for an agent's root folder, with a process for each pod. */
export function showProcesses(root: string, pods: readonly BenchPod[]): void {
  rmSync(join(root, 'host/proc'), { recursive: true, force: true })
  // Gives process 1 the agent's own network namespace, so that the agent recognizes this namespace as the node's.
  show(procFolder(root, 1), '/proc/self/ns/net', '/init.scope')
  for (const [index, pod] of pods.entries()) showProcess(root, 1000 + index, pod)
}

/** Adds a process of a pod to the `/proc` that the agent sees. */
export function showProcess(root: string, pid: number, { name, uid }: BenchPod): void {
  const container = uid.replaceAll('-', '').repeat(2)
  show(procFolder(root, pid), `/host/var/run/netns/${name}`, `/kubepods/besteffort/pod${uid}/${container}`)
}

/** Removes a process from the `/proc` that the agent sees, as if the process had ended. */
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
