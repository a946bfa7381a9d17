import { readFileSync, realpathSync } from 'node:fs'
import { findExecutable } from '@cni/host'
import { type Netns, run } from '@cni/netns'
import { errnoOf } from '@cni/types'
import { namesFile, plainPrograms } from '../run/plain-programs.ts'

/**
 * Whether `apply` would choose the nft back end without having to ask a program: no table of the legacy one is in the
 * namespace, and the node's `iptables-restore` is nft, or there is none.
 */
export function nftIsTheNodes(target: Netns): boolean {
  const found = plainPrograms({ find: (program) => findExecutable(program), resolve: (path) => realpathSync(path) })
  if (found === 'unknown' || (found !== 'none' && found.kind !== 'nft')) return false
  return run(target, () => isEmpty(namesFile('ipv4')) && isEmpty(namesFile('ipv6')))
}

// internal

function isEmpty(path: string): boolean {
  try {
    return readFileSync(path, 'utf8').trim() === ''
  } catch (error) {
    // Without the file there is no such back end; what else keeps it from being read is not for here to say.
    return errnoOf(error) === 'ENOENT' || errnoOf(error) === 'ENOTDIR'
  }
}
