import { mkdtempSync, rmdirSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { ebpf } from '@cni/ebpf'
import { constants, loadSys } from '@cni/netns/sys'

/** A bpf file system of a test's own. */
export function tempBpffs(): { path: string } & Disposable {
  const path = mkdtempSync(join(tmpdir(), 'cni-bpffs-'))
  ebpf().mountBpffs(path)
  return {
    path,
    [Symbol.dispose]() {
      loadSys().umount2(path, constants.MNT_DETACH)
      rmdirSync(path)
    },
  }
}
