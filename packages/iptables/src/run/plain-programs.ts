import type { IptablesBackend } from '../iptables-backend.ts'
import type { Family } from '../rules/model.ts'

/** How to look for programs. */
export interface ProgramFinder {
  /** The path of a program, `undefined` when it is not installed. */
  find(program: string): string | undefined
  /** A path with all symbolic links followed. */
  resolve(path: string): string
}

/** The node's programs without `nft` or `legacy` in what they are asked for; `unknown`: only the program can tell. */
export type PlainPrograms = { readonly kind: IptablesBackend; readonly infix: string } | 'unknown' | 'none'

/** What the node calls `iptables-restore`: told by the file behind the links, and by its version for a wrapper. */
export function plainPrograms({ find, resolve }: ProgramFinder): PlainPrograms {
  const path = find('iptables-restore')
  if (path === undefined) {
    if (find('iptables-nft-restore') !== undefined) return { kind: 'iptables-nft', infix: '-nft' }
    return find('iptables-legacy-restore') === undefined ? 'none' : { kind: 'iptables-legacy', infix: '-legacy' }
  }
  const target = resolve(path)
  const file = target.slice(target.lastIndexOf('/') + 1)
  if (file.includes('nft')) return { kind: 'iptables-nft', infix: '' }
  return file.includes('legacy') || file === 'xtables-multi' ? { kind: 'iptables-legacy', infix: '' } : 'unknown'
}

/** The file that lists the tables of the legacy back end in a namespace. */
export const namesFile = (family: Family): string =>
  `/proc/thread-self/net/${family === 'ipv4' ? 'ip' : 'ip6'}_tables_names`
