import { readFileSync, rmSync } from 'node:fs'
import { findExecutable, run } from '@cni/host'
import { scratchFile } from '../scratch.ts'
import type { Prepared } from './contender.ts'

/** Path of the program valgrind. `undefined` if valgrind is not installed. */
export const findValgrind = (): string | undefined => findExecutable('valgrind')

/** Thousands of instructions that the program itself executes in user mode. */
export async function kiloInstructions({ argv, env = {}, stdin = '' }: Prepared): Promise<number> {
  const valgrind = findValgrind()
  if (valgrind === undefined) throw new Error('valgrind is not installed')
  const log = scratchFile()
  // Uses valgrind's tool callgrind, because callgrind counts faster than valgrind's tool lackey. Discards callgrind's
  // profile.
  const flags = ['--tool=callgrind', '--callgrind-out-file=/dev/null', `--log-file=${log}`]
  await run([valgrind, ...flags, ...argv], { env, input: stdin, cwd: '/' })
  const said = readFileSync(log, 'utf8')
  rmSync(log)
  const [, count] = /^==\d+== Collected : (\d+)$/m.exec(said) ?? []
  if (count === undefined) throw new Error(`valgrind counted no instructions of ${argv[0]}: ${said}`)
  return Number(count) / 1000
}
