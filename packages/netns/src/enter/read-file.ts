import { isRunError } from '@cni/host'
import type { NetnsTarget } from '../handle/netns.ts'
import { isNetnsError } from '../handle/netns-error.ts'
import { readFileSync } from './read-file-sync.ts'
import { exec } from './start.ts'

/**
 * The text of a file as a namespace shows it, such as those below `/proc/thread-self/net` and `/proc/sys/net`;
 * `undefined` when there is none. Rejects with a `NetnsError` when the namespace cannot be entered, and with the file
 * system's error when the file cannot be read. Without FFI the program `cat` reads it.
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
