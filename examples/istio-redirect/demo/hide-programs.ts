import { existsSync, readdirSync, realpathSync } from 'node:fs'
import { basename, join } from 'node:path'
import { loadSys } from '@cni/netns/sys'

const PROGRAMS = /^(?:ip6?tables|xtables|nft$|nsenter$)/

/** `mount(2)` */
const MS_BIND = 0x1000

/** Hides iptables, nft and nsenter. Requires a private mount namespace. Returns the hidden paths. */
export function hidePrograms(): string[] {
  const folders = new Set(['/usr/local/sbin', '/usr/local/bin', '/usr/sbin', '/usr/bin', '/sbin', '/bin'])
  for (const folder of (process.env.PATH ?? '').split(':')) if (folder.startsWith('/')) folders.add(folder)
  const files = new Set<string>()
  for (const folder of folders) {
    if (!existsSync(folder)) continue
    for (const name of readdirSync(folder)) {
      const path = join(folder, name)
      if (PROGRAMS.test(name) && existsSync(path)) files.add(realpathSync(path))
    }
  }
  for (const file of files) loadSys().mount('/dev/null', file, null, MS_BIND, null)
  return [...files].map((file) => basename(file)).sort()
}
