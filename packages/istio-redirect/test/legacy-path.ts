import { mkdirSync, symlinkSync } from 'node:fs'
import { join } from 'node:path'
import { findExecutable } from '@cni/host'

/**
 * A PATH with nothing but iptables of the legacy kind, in a folder of its own below `folder`: what it keeps can only be
 * read and written by programs.
 */
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
