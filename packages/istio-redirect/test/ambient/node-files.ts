import { mkdirSync, mkdtempDisposableSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type Netns, netns } from '@cni/netns'

/** Adds a process of a pod to the test's procfs. An empty `uid` means a process outside all pods. */
export function showProcess(root: string, pid: string, uid: string, namespace: Pick<Netns, 'path'>, start = 100): void {
  const folder = join(root, 'proc', pid)
  mkdirSync(join(folder, 'ns'), { recursive: true })
  symlinkSync(namespace.path, join(folder, 'ns/net'))
  writeFileSync(join(folder, 'cgroup'), uid === '' ? '0::/x\n' : `0::/kubepods/besteffort/pod${uid}/c${pid}\n`)
  writeFileSync(join(folder, 'stat'), `${pid} (app) S ${'0 '.repeat(18)}${start} 0`)
}

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
