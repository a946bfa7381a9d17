import { formatDiff, installer, judgeReadings, type PlannedChange, type RuntimeReading } from '@cni/installer'
import { escapeUnsafe, escapeUnsafeLines } from '@cni/types'
import { jsonText } from '../../safe-text.ts'
import type { AgentConfig } from '../config/agent-config.ts'
import { type CommandIo, paint } from './io.ts'

/** Prints the changes that the agent would make. Exit code 2 means that the agent would make changes. */
export async function dryRun(config: AgentConfig, json: boolean, io: CommandIo): Promise<number> {
  const { changes, artefacts, primary, runtimesAfter: runtimes = [] } = await installer(config.install).plan()
  const problems = artefacts.filter(({ state }) => state === 'failed' || state === 'waiting')
  if (json) {
    io.stdout(jsonText({ primary, changes, problems, runtimes, warnings: config.warnings }))
  } else {
    for (const change of changes) io.stdout(changeText(change, io))
    sayRuntimes(runtimes, config, io, changes.length > 0 ? 'then ' : '')
    for (const warning of config.warnings) io.stderr(`${paint(io, 'yellow', 'warning')} ${escapeUnsafe(warning)}\n`)
    for (const { artefact, path, reason } of problems) {
      io.stderr(`${paint(io, 'red', 'problem')} ${artefact}: ${escapeUnsafe(reason ?? path)}\n`)
    }
    if (changes.length === 0 && problems.length === 0) io.stdout('nothing would change\n')
  }
  return problems.length > 0 ? 1 : changes.length > 0 ? 2 : 0
}

/** Prints how the container runtimes would use the plugin after the changes. */
function sayRuntimes(
  readings: readonly RuntimeReading[],
  { install: { runtime } }: AgentConfig,
  io: CommandIo,
  when: string,
): void {
  const { verdict, relevant } = judgeReadings(readings, runtime)
  for (const { runs, text, next } of relevant) {
    if (runs === 'yes') io.stdout(`${when}${escapeUnsafe(text)}\n`)
    else if (verdict !== 'fail')
      io.stderr(`${paint(io, 'yellow', 'warning')} ${escapeUnsafe(`${text}: ${next ?? runs}`)}\n`)
  }
}

function changeText({ action, path, reason, diff }: PlannedChange, io: CommandIo): string {
  const head = `would ${paint(io, 'bold', `${action} ${escapeUnsafe(path)}`)} (${escapeUnsafe(reason)})\n`
  if (diff === undefined) return head
  const lines = escapeUnsafeLines(formatDiff(diff)).split('\n')
  return head + lines.map((line) => `${diffLine(line, io)}\n`).join('')
}

function diffLine(line: string, io: CommandIo): string {
  if (line.startsWith('+')) return paint(io, 'green', line)
  if (line.startsWith('-')) return paint(io, 'red', line)
  return line.startsWith('@@') ? paint(io, 'cyan', line) : line
}
