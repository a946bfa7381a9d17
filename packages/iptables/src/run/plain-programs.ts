import type { IptablesBackend } from '../iptables-backend.ts'
import type { Family } from '../rules/model.ts'

/** Functions that find iptables programs on the node. */
export interface ProgramFinder {
  /** Finds the path of a program; `undefined` if the program is not installed. */
  find(program: string): string | undefined
  /** Resolves all symbolic links of a program's path. */
  resolve(path: string): string
}

/** Back end of the node's plain programs, whose names contain neither `nft` nor `legacy`. */
export type PlainPrograms = { readonly kind: IptablesBackend; readonly infix: string } | 'unknown' | 'none'

/** Back end of the node's `iptables-restore`, judged by the target of its symbolic links. */
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

/** Path of the kernel's file that lists the legacy tables of a namespace. */
export const namesFile = (family: Family): string =>
  `/proc/thread-self/net/${family === 'ipv4' ? 'ip' : 'ip6'}_tables_names`
