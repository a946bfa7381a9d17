import { readFileSync, writeFileSync } from 'node:fs'
import { networkInterfaces } from 'node:os'
import { isNetnsError, type NetnsTarget } from '@cni/netns'
import { addressesOf } from '../namespace/namespace-network.ts'
import type { System } from './io.ts'

/** Access to the files and addresses of the real machine. */
export const machine: System = {
  readFile: (path) => readFileSync(path === '-' ? 0 : path, 'utf8'),
  // Writes in place instead of renaming a new file, because the path may be a device or a pipe.
  writeFile: (path, text) => writeFileSync(path, text, { mode: 0o644 }),
  addresses,
}

async function addresses(target: NetnsTarget): Promise<readonly string[]> {
  try {
    return await addressesOf(target)
  } catch (error) {
    if (target !== 'host' || !isNetnsError(error) || error.code !== 'NO_FFI') throw error
    return Object.values(networkInterfaces()).flatMap((list = []) => list.flatMap(({ cidr }) => cidr ?? []))
  }
}
