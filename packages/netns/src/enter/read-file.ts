import { readFileSync } from 'node:fs'
import { isRunError } from '@cni/host'
import { errnoOf } from '@cni/types'
import type { NetnsTarget } from '../handle/netns.ts'
import { isNetnsError } from '../handle/netns-error.ts'
import { run } from './runner.ts'
import { exec } from './start.ts'

/**
 * The text of a file as a namespace shows it, such as those below `/proc/thread-self/net` and `/proc/sys/net`;
 * `undefined` when there is none. Rejects with a `NetnsError` when the namespace cannot be entered, and with the file
 * system's error when the file cannot be read. Without FFI the program `cat` reads it.
 *
 * @example
 * const off = await netns.readFile(pod, '/proc/sys/net/ipv6/conf/lo/disable_ipv6') // '0\n'
 */
export async function readFile(target: NetnsTarget, path: string): Promise<string | undefined> {
  try {
    return run(target, () => readIfThere(path))
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

function readIfThere(path: string): string | undefined {
  try {
    return readFileSync(path, 'utf8')
  } catch (error) {
    const errno = errnoOf(error)
    if (errno === 'ENOENT' || errno === 'ENOTDIR') return undefined
    throw error
  }
}
