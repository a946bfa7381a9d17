import { mkdirSync, symlinkSync } from 'node:fs'
import { join } from 'node:path'
import { findExecutable } from '@cni/host'

/** Creates a folder for PATH with only legacy iptables, whose rules only programs can write. */
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
