import { mkdirSync } from 'node:fs'
import { loadSys } from '@cni/netns/sys'

/** `mount(2)`: mounts below do not propagate. */
const MS_PRIVATE = 0x40000

/** A private, empty file system over a folder: what is mounted in it does not reach the machine. */
export function hideFolder(path: string): void {
  mkdirSync(path, { recursive: true })
  loadSys().mount('tmpfs', path, 'tmpfs', 0, 'mode=0755')
  loadSys().mount('none', path, null, MS_PRIVATE, null)
}
