import { randomUUID } from 'node:crypto'
import { mkdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
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
const NAMESPACE = 'mesh'

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
    const name = `bench-${process.pid}-${of}-${index}`
    const netns = await tempNetns({ name })
    const address = `10.77.${index >> 8}.${(index & 255) + 1}`
    using rtnl = await openRtnl(netns)
    await rtnl.addAddress('lo', `${address}/32`)
    pods.push({ name, uid: randomUUID(), address, netns })
  }
  return pods
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
  const proc = join(root, 'host/proc')
  rmSync(proc, { recursive: true, force: true })
  const show = (pid: number, namespace: string, cgroup: string): void => {
    const folder = join(proc, String(pid))
    mkdirSync(join(folder, 'ns'), { recursive: true })
    symlinkSync(namespace, join(folder, 'ns/net'))
    writeFileSync(join(folder, 'cgroup'), `0::${cgroup}\n`)
    writeFileSync(join(folder, 'stat'), `${pid} (pause) S ${'0 '.repeat(18)}${pid} 0`)
    writeFileSync(join(folder, 'comm'), 'pause\n')
  }
  // That of whoever looks: the agent is on the node's network.
  show(1, '/proc/self/ns/net', '/init.scope')
  for (const [index, { name, uid }] of pods.entries()) {
    const container = uid.replaceAll('-', '').repeat(2)
    show(1000 + index, `/host/var/run/netns/${name}`, `/kubepods/besteffort/pod${uid}/${container}`)
  }
}
