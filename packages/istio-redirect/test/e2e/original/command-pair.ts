import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { run } from '@cni/host'
import { netns } from '@cni/netns'
import { PATH } from './peers.ts'
import type { CommandCase } from './random-command.ts'
import { sandbox } from './sandbox.ts'
import { readState, type State } from './state.ts'

/** The result of one of the two command lines. */
export interface CommandSide {
  readonly exitCodes: readonly (number | null)[]
  /** The transcript of dry runs: commands that read the kernel, and the input of iptables-restore. */
  readonly dryRun: string
  readonly state: State
  /** The whole output, for people. */
  readonly printed: string
}

/** The results of both for the same commands. */
export interface CommandPair {
  readonly theirs: CommandSide
  readonly ours: CommandSide
}

/** Runs the commands of a case with a program, in a namespace of their own. */
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
