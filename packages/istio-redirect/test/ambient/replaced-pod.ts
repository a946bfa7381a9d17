import { mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type Netns, netns } from '@cni/netns'
import type { MeshNode, TestPod } from './mesh-node.ts'
import { showProcess } from './show-process.ts'

/** Mounts a namespace in the node's folder of named namespaces. Disposing unmounts it. */
export function mounted(root: string, name: string, namespace: Netns): Disposable {
  const folder = join(root, 'var/run/netns')
  mkdirSync(folder, { recursive: true })
  const path = join(folder, name)
  netns.bind(namespace, path).close()
  return { [Symbol.dispose]: () => netns.destroy(path) }
}

/** A node of files only. Its first process is in the namespace of this process. */
export function nodeFiles(): Disposable & { readonly root: string; readonly proc: string } {
  const root = mkdtempSync(join(tmpdir(), 'cni-node-'))
  showProcess(root, '1', '', { path: `/proc/${process.pid}/ns/net` })
  return { root, proc: join(root, 'proc'), [Symbol.dispose]: () => rmSync(root, { recursive: true }) }
}

/** Ends all processes of a pod, and adds a process in another namespace. */
export function moved(node: MeshNode, pod: TestPod, to: Netns, pid = '4711'): void {
  pod.end()
  showProcess(node.root, pid, pod.uid, to)
}
