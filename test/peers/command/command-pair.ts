import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { run } from '@cni/host'
import { netns } from '@cni/netns'
import { PATH } from '../peers.ts'
import { sandbox } from '../sandbox.ts'
import { readState, type State } from '../state.ts'
import type { CommandCase } from './random-command.ts'

/** Result of running the commands of a test case with one program: Istio's command-line program or ours. */
export interface CommandSide {
  readonly exitCodes: readonly (number | null)[]
  /** Output of dry runs: the iptables commands that read rules, and the input of iptables-restore. */
  readonly dryRun: string
  readonly state: State
  /** Whole output of the program, for a test's failure report. */
  readonly printed: string
}

/** Results of Istio's program and of ours for the same commands. */
export interface CommandPair {
  readonly theirs: CommandSide
  readonly ours: CommandSide
}

/** Runs a test case's commands with Istio's program or ours, in a new network namespace. */
export async function runCommands(
  program: Parameters<typeof run>[0],
  { runs, ...ground }: CommandCase,
): Promise<CommandSide> {
  const folder = mkdtempSync(join(tmpdir(), 'istio-original-'))
  try {
    await using target = await sandbox(ground)
    const exitCodes: (number | null)[] = []
    const texts: string[] = []
    const dryRuns: string[] = []
    for (const [index, { argv, env }] of runs.entries()) {
      const file = join(folder, `${index}`)
      const { exitCode, stdout, stderr } = await netns.exec(target, [...program, ...argv], {
        env: { PATH, DRY_RUN_FILE_PATH: file, ...env },
        timeout: 60_000,
        reject: false,
      })
      exitCodes.push(exitCode)
      texts.push(stdout, stderr)
      dryRuns.push(existsSync(file) ? readFileSync(file, 'utf8') : '')
    }
    return { exitCodes, dryRun: dryRuns.join('===\n'), state: await readState(target), printed: texts.join('\n') }
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}
