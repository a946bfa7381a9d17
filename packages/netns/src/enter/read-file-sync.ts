import { readFileSync as readHere } from 'node:fs'
import { errnoOf } from '@cni/types'
import type { NetnsTarget } from '../handle/netns.ts'
import { run } from './runner.ts'

/**
 * Reads a text file inside a network namespace. Returns `undefined` if the file does not exist.
 *
 * @example
 * const tables = readFileSync(pod, '/proc/thread-self/net/ip_tables_names')
 */
export function readFileSync(target: NetnsTarget, path: string): string | undefined {
  return run(target, () => readIfThere(path))
}

function readIfThere(path: string): string | undefined {
  try {
    return readHere(path, 'utf8')
  } catch (error) {
    const errno = errnoOf(error)
    if (errno === 'ENOENT' || errno === 'ENOTDIR') return undefined
    throw error
  }
}
