import { mkdtempSync, rmdirSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { ebpf } from '@cni/ebpf'
import { loadSys } from '@cni/netns/sys'

const MNT_DETACH = 2
/** Mounts a temporary bpf file system for a test. */
export function tempBpffs(): { path: string } & Disposable {
  const path = mkdtempSync(join(tmpdir(), 'cni-bpffs-'))
  ebpf().mountBpffs(path)
  return {
    path,
    [Symbol.dispose]() {
      loadSys().umount2(path, MNT_DETACH)
      rmdirSync(path)
    },
  }
}
