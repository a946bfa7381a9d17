import type { run } from '@cni/host'
import { canonicalCommands } from '../canonical.ts'
import { LISTS } from '../plugin/known-differences.ts'
import type { State } from '../state.ts'
import type { Verdict } from '../sweep.ts'
import { type CommandField, commandFields } from './command-fields.ts'
import { type CommandPair, type CommandSide, runCommands } from './command-pair.ts'
import { knownCommandDifferences } from './known-command-differences.ts'
import type { CommandCase } from './random-command.ts'

/** Creates a function that compares Istio's program and ours in a test case. */
export function commandJudge(
  original: Parameters<typeof run>[0],
  ours: Parameters<typeof run>[0],
): (one: CommandCase) => Promise<Verdict> {
  const judge = async (one: CommandCase, theirs = one): Promise<Verdict> => {
    const [a, b] = await Promise.all([runCommands(original, theirs), runCommands(ours, one)])
    const pair: CommandPair = { theirs: a, ours: b }
    const fields = commandFields.filter((field) => shownOf(a, field) !== shownOf(b, field))
    if (fields.length === 0) return { unexplained: [], explained: [] }
    const seen = { one, pair, untouched: await before(ours, one) }
    const explained = new Set<string>()
    const unexplained = fields.filter((field) => {
      const known = knownCommandDifferences.find((each) => each.holds(seen, field))
      if (known !== undefined) explained.add(known.id)
      return known === undefined
    })
    return { unexplained, explained: [...explained], print: () => printed(one, unexplained, pair) }
  }
  return async (one) => {
    const first = await judge(one)
    const canonical = canonicalCommands(one)
    if (first.unexplained.length === 0 || JSON.stringify(canonical) === JSON.stringify(one)) return first
    const second = await judge(one, canonical)
    return { ...second, explained: [LISTS, ...second.explained] }
  }
}

function shownOf(side: CommandSide, field: CommandField): string {
  if (field === 'exit codes') return side.exitCodes.join()
  return field === 'dry run' ? side.dryRun : side.state[field]
}

function printed(one: CommandCase, fields: readonly CommandField[], { theirs, ours }: CommandPair): string {
  const texts = fields.map(
    (field) => `--- theirs: ${field}\n${shownOf(theirs, field)}\n+++ ours\n${shownOf(ours, field)}`,
  )
  return [
    JSON.stringify(one),
    ...texts,
    `<<< theirs ${theirs.printed.slice(-1500)}`,
    `>>> ours ${ours.printed.slice(-1500)}`,
  ].join('\n')
}

/** Reads the state of the network namespace before the last command of a test case. */
async function before(ours: Parameters<typeof run>[0], { runs, ...ground }: CommandCase): Promise<State> {
  return (await runCommands(ours, { ...ground, runs: runs.slice(0, -1) })).state
}
