/** Runs the benchmark suites and writes one report. Compares it with a stored report. */
import { existsSync, mkdirSync, mkdtempDisposableSync, readFileSync, writeFileSync } from 'node:fs'
import { cpus, loadavg, tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { messageOf } from '@cni/types'
import { exec } from '../scripts/lib/exec.ts'
import { green, main, red, Stop, say, step } from '../scripts/lib/progress.ts'
import { root } from './lib/compiled.ts'
import { commit, header } from './lib/machine.ts'
import { BASELINE, benchOptions, SUITES, type SuiteName, suiteArguments } from './lib/options.ts'
import { findPeers, peersIn } from './lib/peers.ts'
import { mergeBaseline } from './lib/report/baseline.ts'
import { type Comparison, compare, confirm, type Verdict } from './lib/report/compare.ts'
import { compareText } from './lib/report/compare-text.ts'
import { peersLine, reportMarkdown } from './lib/report/markdown.ts'
import { parseSuite, type Report, ReportError, readReport, reportText, type Suite } from './lib/report/report.ts'

const options = benchOptions(process.argv.slice(2))
const peers = findPeers(options.peers ?? process.env.CNI_PEERS, process.env.PATH ?? '', root)

await main(async () => {
  try {
    await bench()
  } catch (error) {
    throw error instanceof ReportError ? new Stop(error.message) : error
  }
})

async function bench(): Promise<void> {
  // Reads the stored report before the first suite starts, so that a missing file is reported at once.
  const baseline = options.compare === undefined ? undefined : readReport(resolve(root, options.compare))
  const stored = options.save && existsSync(join(root, BASELINE)) ? readReport(join(root, BASELINE)) : undefined
  const found = peers === undefined ? [] : peersIn(peers)
  say(peersLine(found) + (found.length > 0 ? ` From ${peers}` : ''))
  const [load = 0] = loadavg()
  if (load > cpus().length / 2) say(`${red('!')} this machine is busy (load ${load.toFixed(1)}): figures will be worse`)

  const failed: string[] = []
  const skipped: string[] = []
  const report: Report = { format: 1, ...(await header()), peers: found, suites: {} }
  for (const name of options.suites) {
    const suite = await measured(name)
    if (suite === 'failed') failed.push(name)
    else if (suite === 'skipped') skipped.push(name)
    else report.suites[name] = suite
  }
  write('bench/report/report.json', reportText(report))
  const text = reportMarkdown(report)
  write('bench/report/report.md', text)
  process.stdout.write(`${text}\n`)

  const worse = baseline === undefined ? 0 : await compared(baseline, report)
  if (failed.length > 0) throw new Stop(`these suites failed: ${failed.join(', ')}`)
  if (worse > 0) throw new Stop(`worse than in ${options.compare}, twice in a row: ${worse} of the measures`)
  if (options.save) write(BASELINE, reportText(mergeBaseline(stored, report, suitesToStore(skipped))))
}

/** Returns the names of the suites that the new baseline contains. */
function suitesToStore(skipped: readonly string[]): string[] {
  const all = Object.keys(SUITES)
  return options.suites.length < all.length ? all : all.filter((name) => !skipped.includes(name))
}

/** Runs one benchmark suite in private namespaces. If a suite fails, the next suites still run. */
async function measured(name: SuiteName): Promise<Suite | 'failed' | 'skipped'> {
  using folder = mkdtempDisposableSync(join(tmpdir(), 'cni-bench-report-'))
  const out = join(folder.path, 'suite.json')
  const flags = ['--conditions=@cni/source', '--disable-warning=ExperimentalWarning']
  const suite = [process.execPath, ...flags, `bench/${name}.ts`, ...suiteArguments(name, options.numbers)]
  const of = await commit(root)
  try {
    await step(`${name}: ${SUITES[name].about}`, () =>
      exec(['unshare', '--net', '--mount', '--propagation', 'private', '--', ...suite], {
        env: { CNI_BENCH_OUT: out, CNI_PEERS: peers ?? '' },
      }),
    )
    // A suite whose required programs are missing prints a message and writes no result file.
    return existsSync(out) ? { ...parseSuite(readFileSync(out, 'utf8')), ...of } : 'skipped'
  } catch (error) {
    say(messageOf(error))
    return 'failed'
  }
}

/** Repeats suites that became worse. Returns the number of values that are still worse. */
async function compared(baseline: Report, report: Report): Promise<number> {
  let rows = compare(baseline, report)
  const isWorse = ({ verdict }: Comparison): boolean => verdict === 'worse'
  const doubtful = options.suites.filter((name) => rows.some((row) => row.suite === name && isWorse(row)))
  for (const name of doubtful) {
    say(`${name} has measures that are worse: measured once more`)
    const again = await measured(name)
    if (typeof again === 'object') rows = confirm(rows, compare(baseline, { ...report, suites: { [name]: again } }))
  }
  const tty = process.stdout.isTTY === true && process.env.NO_COLOR === undefined
  const paint = (verdict: Verdict, text: string): string => {
    if (!tty) return text
    return verdict === 'worse' ? red(text) : verdict === 'better' ? green(text) : text
  }
  process.stdout.write(compareText(rows, paint))
  return rows.filter(isWorse).length
}

function write(path: string, text: string): void {
  mkdirSync(join(root, 'bench/report'), { recursive: true })
  writeFileSync(join(root, path), text)
  say(path)
}
