import { isRunError } from '@cni/host'
import type { NetnsTarget } from '../handle/netns.ts'
import { isNetnsError } from '../handle/netns-error.ts'
import { readFileSync } from './read-file-sync.ts'
import { exec } from './start.ts'

/**
 * Reads a text file of a network namespace, below `/proc/thread-self/net` or `/proc/sys/net`. Resolves to `undefined`
 * if the file does not exist. Rejects with a `NetnsError` if the namespace cannot be entered. Rejects with the file
 * system's error if the file cannot be read.
 *
 * @example
 * const off = await readFile(pod, '/proc/sys/net/ipv6/conf/lo/disable_ipv6') // '0\n'
 */
export async function readFile(target: NetnsTarget, path: string): Promise<string | undefined> {
  try {
    return readFileSync(target, path)
  } catch (error) {
    if (!isNetnsError(error) || error.code !== 'NO_FFI') throw error
  }
  try {
    return (await exec(target, ['cat', path])).stdout
  } catch (error) {
    if (isRunError(error) && error.code === 'EXIT') return undefined
    throw error
  }
}
