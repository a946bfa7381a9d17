import { chmodSync, copyFileSync, openSync } from 'node:fs'

/** Creates a program that cannot be started ("text file busy") until the descriptor is closed. */
export function busyFile(file: string): number {
  copyFileSync('/bin/true', file)
  chmodSync(file, 0o755)
  return openSync(file, 'r+')
}
