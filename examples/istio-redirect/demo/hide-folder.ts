import { mkdirSync } from 'node:fs'
import { loadSys } from '@cni/netns/sys'

/** Flag of `mount(2)`, MS_PRIVATE: mounts in this mount namespace do not propagate to other mount namespaces. */
const MS_PRIVATE = 0x40000

/** Hides a folder's content with a private mount, which other mount namespaces do not see. */
export function hideFolder(path: string): void {
  mkdirSync(path, { recursive: true })
  loadSys().mount('tmpfs', path, 'tmpfs', 0, 'mode=0755')
  loadSys().mount('none', path, null, MS_PRIVATE, null)
}
