import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { type Netns, netns, openRtnl } from '@cni/netns'
import { tempNetns } from '@cni/netns/testing'
import type { MeshNode, TestPod } from './mesh-node.ts'
import { withBits } from './pod-network.ts'

/** The root of the files of a node that a test made. */
export const rootOf = ({ eventSocket }: Pick<MeshNode, 'eventSocket'>): string => dirname(dirname(eventSocket))

/** A namespace with the addresses of a pod, as a sandbox that was started again has it. */
export async function namespaceWith(addresses: readonly string[]): Promise<Netns & AsyncDisposable> {
  const fresh = await tempNetns()
  await addressed(fresh, addresses)
  return fresh
}

/** Gives a namespace these addresses. */
export async function addressed(target: Netns, addresses: readonly string[]): Promise<void> {
  using rtnl = await openRtnl(target)
  await rtnl.addLink({ name: 'more', kind: 'bridge' })
  await rtnl.setLinkUp('more')
  for (const each of addresses) await rtnl.addAddress('more', withBits(each))
}

/** Shows a process in a namespace: of a pod, or (`''`) of none. */
export function showProcess(root: string, pid: string, uid: string, namespace: Pick<Netns, 'path'>, start = 100): void {
  const folder = join(root, 'proc', pid)
  mkdirSync(join(folder, 'ns'), { recursive: true })
  symlinkSync(namespace.path, join(folder, 'ns/net'))
  writeFileSync(join(folder, 'cgroup'), uid === '' ? '0::/x\n' : `0::/kubepods/besteffort/pod${uid}/c${pid}\n`)
  writeFileSync(join(folder, 'stat'), `${pid} (app) S ${'0 '.repeat(18)}${start} 0`)
}

/** Mounts a namespace in the folder of named namespaces of a node, until this is disposed of. */
export function mounted(root: string, name: string, namespace: Netns): Disposable {
  const folder = join(root, 'var/run/netns')
  mkdirSync(folder, { recursive: true })
  const path = join(folder, name)
  netns.bind(namespace, path).close()
  return { [Symbol.dispose]: () => netns.destroy(path) }
}

/** A node of which only files are made: its first process is in the namespace of this one. */
export function nodeFiles(): Disposable & { readonly root: string; readonly proc: string } {
  const root = mkdtempSync(join(tmpdir(), 'cni-node-'))
  showProcess(root, '1', '', { path: `/proc/${process.pid}/ns/net` })
  return { root, proc: join(root, 'proc'), [Symbol.dispose]: () => rmSync(root, { recursive: true }) }
}

/** Ends all processes of a pod, and shows one in another namespace. */
export function moved(node: MeshNode, pod: TestPod, to: Netns, pid = '4711'): void {
  pod.end()
  showProcess(rootOf(node), pid, pod.uid, to)
}
