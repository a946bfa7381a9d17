import { mkdirSync } from 'node:fs'
import { loadSys } from '@cni/netns/sys'

const MNT_DETACH = 2

/** Mounts a tmpfs for the records of plugins, as on a node. Only this process sees the mount. */
export function tmpfs(path: string): Disposable {
  mkdirSync(path, { recursive: true })
  loadSys().mount('tmpfs', path, 'tmpfs', 0, 'mode=0755')
  return { [Symbol.dispose]: () => loadSys().umount2(path, MNT_DETACH) }
}
