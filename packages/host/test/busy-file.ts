import { chmodSync, copyFileSync, openSync } from 'node:fs'

/**
 * Creates a program file that is open for writing. A start fails with "text file busy" until the test closes the
 * descriptor.
 */
export function busyFile(file: string): number {
  copyFileSync('/bin/true', file)
  chmodSync(file, 0o755)
  return openSync(file, 'r+')
}
