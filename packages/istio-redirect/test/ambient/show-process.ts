import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Netns } from '@cni/netns'

/** Adds a process of a pod to the test's procfs. An empty `uid` means a process outside all pods. */
export function showProcess(root: string, pid: string, uid: string, namespace: Pick<Netns, 'path'>, start = 100): void {
  const folder = join(root, 'proc', pid)
  mkdirSync(join(folder, 'ns'), { recursive: true })
  symlinkSync(namespace.path, join(folder, 'ns/net'))
  writeFileSync(join(folder, 'cgroup'), uid === '' ? '0::/x\n' : `0::/kubepods/besteffort/pod${uid}/c${pid}\n`)
  writeFileSync(join(folder, 'stat'), `${pid} (app) S ${'0 '.repeat(18)}${start} 0`)
}
