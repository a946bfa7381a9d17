import { mkdirSync, symlinkSync } from 'node:fs'
import { join } from 'node:path'
import { findExecutable } from '@cni/host'

/** Makes a folder for PATH below `folder`, with legacy iptables only. Only programs can read and write legacy rules. */
export function legacyPath(folder: string): string {
  const bin = join(folder, 'bin-legacy')
  mkdirSync(bin)
  for (const stem of ['iptables', 'ip6tables']) {
    for (const program of ['restore', 'save']) {
      const legacy = `${stem}-legacy-${program}`
      symlinkSync(findExecutable(legacy) ?? legacy, join(bin, `${stem}-${program}`))
    }
  }
  return bin
}
