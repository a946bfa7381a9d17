import { createWriteStream } from 'node:fs'
import { dim, green, red, Stop, say, seconds } from '../progress.ts'
import { runBound } from '../run-bound.ts'
import { type FileReport, parseReportLine } from './report.ts'

/** Results of a test run in a virtual machine. */
export interface Outcome {
  /** Version of the virtual machine's kernel. `undefined` if the virtual machine did not boot. */
  version: string | undefined
  readonly files: FileReport[]
  /** Exit code of the test command. `undefined` if the virtual machine ended before the command did. */
  exitCode: number | undefined
}

/**
 * Runs a virtual machine until it ends. Prints the results of the tests in the virtual machine.
 *
 * @param log - file for all output of the virtual machine
 * @throws {Stop} with exit code `lateCode` if the run takes longer than `minutes`
 */
export async function testsInMachine(
  machine: readonly [string, ...string[]],
  { log, minutes, lateCode }: { log: string; minutes: number; lateCode: number },
): Promise<Outcome> {
  const outcome: Outcome = { version: undefined, files: [], exitCode: undefined }
  const said = createWriteStream(log)
  const late = new AbortController()
  const timer = setTimeout(
    () => late.abort(new Stop(`switched off after ${minutes} minutes. What it said: ${log}`, lateCode)),
    minutes * 60_000,
  )
  const started = performance.now()
  const onLine = (line: string) => {
    const [, word, rest = ''] = /^cni-vm (up|exit) (.*)$/.exec(line) ?? []
    const report = parseReportLine(line)
    if (report !== undefined) {
      outcome.files.push(report)
      show(report)
    } else if (word === 'up') {
      outcome.version = rest
      say(`  Linux ${rest} is up ${dim(`(${seconds(performance.now() - started)})`)}`)
    } else if (word === 'exit') {
      outcome.exitCode = Number(rest)
    }
  }
  try {
    const lines = lineSplitter(onLine)
    const output = (chunk: Buffer) => {
      said.write(chunk)
      lines(chunk)
    }
    await runBound(machine, { output, signal: late.signal })
  } finally {
    clearTimeout(timer)
    await new Promise((resolve) => said.end(resolve))
  }
  return outcome
}

function show({ file, passed, failed, errors, skipped, seconds: took }: FileReport): void {
  const good = failed === 0 && skipped.length === 0
  const counts = [
    `${passed} passed`,
    ...(failed > 0 ? [`${failed} failed`] : []),
    ...(skipped.length > 0 ? [`${skipped.length} skipped`] : []),
  ]
  say(`  ${good ? green('✓') : red('✗')} ${file}: ${counts.join(', ')} ${dim(`(${took.toFixed(1)} s)`)}`)
  for (const each of errors) say(`      ${each}`)
  for (const each of skipped) say(`      skipped: ${each}`)
}

function lineSplitter(onLine: (line: string) => void): (chunk: Buffer) => void {
  const decoder = new TextDecoder()
  let rest = ''
  return (chunk) => {
    const lines = (rest + decoder.decode(chunk, { stream: true })).split('\n')
    rest = lines.pop() ?? ''
    for (const line of lines) onLine(line)
  }
}
