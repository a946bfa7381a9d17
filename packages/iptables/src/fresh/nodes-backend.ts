import { existsSync, readFileSync, realpathSync } from 'node:fs'
import { findExecutable } from '@cni/host'
import { run } from '@cni/netns/enter'
import type { Netns } from '@cni/netns/handle'
import { namesFile, plainPrograms } from '../run/plain-programs.ts'

/** True if `apply` would choose the nft back end without running a program. */
export function nftIsTheNodes(target: Netns): boolean {
  const found = plainPrograms({ find: (program) => findExecutable(program), resolve: (path) => realpathSync(path) })
  if (found === 'unknown' || (found !== 'none' && found.kind !== 'iptables-nft')) return false
  return hasNoLegacyTable(target)
}

/** True if a namespace has no tables of the legacy back end. */
export const hasNoLegacyTable = (target: Netns): boolean =>
  run(target, () => isEmpty(namesFile('ipv4')) && isEmpty(namesFile('ipv6')))

// internal

const isEmpty = (file: string): boolean => !existsSync(file) || readFileSync(file, 'utf8').trim() === ''
