import { chmodSync, copyFileSync, openSync } from 'node:fs'

/** Creates a program that cannot start (ETXTBSY) until the test closes the descriptor. */
export function busyFile(file: string): number {
  copyFileSync('/bin/true', file)
  chmodSync(file, 0o755)
  return openSync(file, 'r+')
}
