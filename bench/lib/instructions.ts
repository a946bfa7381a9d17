import { readFileSync, rmSync } from 'node:fs'
import { findExecutable, run } from '@cni/host'
import type { Prepared } from './contender.ts'
import { scratchFile } from './scratch.ts'

/** valgrind, where it is installed. */
export const findValgrind = (): string | undefined => findExecutable('valgrind')

/** Instructions of a program in user mode, in thousands. The kernel and the program's children are not counted. */
export async function kiloInstructions({ argv, env = {}, stdin = '' }: Prepared): Promise<number> {
  const valgrind = findValgrind()
  if (valgrind === undefined) throw new Error('valgrind is not installed')
  const log = scratchFile()
  // callgrind counts in half the time of lackey; the profile itself is not needed.
  const flags = ['--tool=callgrind', '--callgrind-out-file=/dev/null', `--log-file=${log}`]
  await run([valgrind, ...flags, ...argv], { env, input: stdin, cwd: '/' })
  const said = readFileSync(log, 'utf8')
  rmSync(log)
  const [, count] = /^==\d+== Collected : (\d+)$/m.exec(said) ?? []
  if (count === undefined) throw new Error(`valgrind counted no instructions of ${argv[0]}: ${said}`)
  return Number(count) / 1000
}
