import { existsSync, mkdtempDisposableSync, readFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { run } from '@cni/host'
import { netns } from '@cni/netns'
import type { Side } from '../differences.ts'
import { judge } from '../judge.ts'
import { PATH } from '../peers.ts'
import { sandbox } from '../sandbox.ts'
import { readState } from '../state.ts'
import { knownCommandDifferences } from './known-command-differences.ts'
import type { CommandCase } from './random-command.ts'

type Program = Parameters<typeof run>[0]

/** Creates a function that compares Istio's command-line program and ours in a test case. */
export const commandJudge = (original: Program, own: Program) =>
  judge<CommandCase>({
    async compare(one, theirCase) {
      const [theirs, ours] = await Promise.all([runCommands(original, theirCase), runCommands(own, one)])
      return { theirs, ours }
    },
    known: knownCommandDifferences,
    untouched: async (one) => (await runCommands(own, { ...one, runs: one.runs.slice(0, -1) })).results,
    canonical: (one) => ({
      ...one,
      runs: one.runs.map(({ argv, env }) => ({
        argv: argv.map(canonicalText),
        env: Object.fromEntries(Object.entries(env).map(([name, value]) => [name, canonicalText(value)])),
      })),
    }),
  })

/**
 * Runs a test case's commands with a program, in a new network namespace. The compared output is the text of dry runs:
 * the iptables commands that read rules, and the input of iptables-restore.
 */
async function runCommands(program: Program, one: CommandCase): Promise<Side> {
  using folder = mkdtempDisposableSync(join(tmpdir(), 'istio-original-'))
  await using target = await sandbox(one)
  const exitCodes: (number | null)[] = []
  const texts: string[] = []
  const dryRuns: string[] = []
  for (const [index, { argv, env }] of one.runs.entries()) {
    const file = join(folder.path, `${index}`)
    const { exitCode, stdout, stderr } = await netns.exec(target, [...program, ...argv], {
      env: { PATH, DRY_RUN_FILE_PATH: file, ...env },
      timeout: 60_000,
      reject: false,
    })
    exitCodes.push(exitCode)
    texts.push(stdout, stderr)
    dryRuns.push(existsSync(file) ? readFileSync(file, 'utf8') : '')
  }
  const state = await readState(target)
  return {
    exitCode: exitCodes.at(-1) ?? null,
    results: { outcome: exitCodes.join(), output: dryRuns.join('===\n'), ...state },
    printed: texts.join('\n'),
  }
}

/**
 * Normalizes the items of a list. Keeps duplicates. Keeps `00` and `01`, because `0` and `1` are valid booleans.
 */
function canonicalText(text: string): string {
  if (/^(?:--[\w-]+=)?0[01]$/.test(text)) return text
  return text
    .replace(/^(-[a-z]|--[\w-]+=|)\s+/, '$1')
    .replace(/\s*,\s*/g, ',')
    .trimEnd()
    .replace(/(^-[a-z]|[,=]|^)0+(?=\d)/g, '$1')
}
