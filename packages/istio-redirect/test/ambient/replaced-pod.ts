import { mkdirSync, mkdtempDisposableSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type Netns, netns } from '@cni/netns'
import type { MeshNode, TestPod } from './mesh-node.ts'
import { showProcess } from './show-process.ts'

/** Mounts a network namespace in the test node's folder /var/run/netns. Disposing unmounts the namespace. */
export function mounted(root: string, name: string, namespace: Netns): Disposable {
  const folder = join(root, 'var/run/netns')
  mkdirSync(folder, { recursive: true })
  const path = join(folder, name)
  netns.bind(namespace, path).close()
  return { [Symbol.dispose]: () => netns.destroy(path) }
}

/** Creates a test node that consists of files only. Its process 1 is in the network namespace of the test. */
export function nodeFiles() {
  const { path: root, remove } = mkdtempDisposableSync(join(tmpdir(), 'cni-node-'))
  showProcess(root, '1', '', { path: `/proc/${process.pid}/ns/net` })
  return { root, proc: join(root, 'proc'), [Symbol.dispose]: remove }
}

/** Ends all processes of a pod, and starts a process of the pod in another network namespace. */
export function moved(node: MeshNode, pod: TestPod, to: Netns, pid = '4711'): void {
  pod.end()
  showProcess(node.root, pid, pod.uid, to)
}
