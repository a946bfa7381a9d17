// npm run plot: pictures for the documentation from the last benchmark reports (bench/report → docs/plots).
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { barChart } from './lib/bar-chart.mjs'
import { root } from './lib/exec.mjs'
import { main, Stop, say } from './lib/progress.mjs'

/** @typedef {{ name: string, medianMs: number, minMs: number, maxMs: number }} Timing */

await main(async () => {
  plot('plugin', 'istio-cni and the original: whole process', (report) =>
    ['VERSION', 'ADD, mesh pod', 'ADD, pod outside the mesh', 'CHECK, mesh pod', 'DEL, mesh pod'].map((label) => ({
      label,
      bars: timings(report, label).filter(({ name }) => name === 'ours' || name === 'original'),
    })),
  )
  plot('iptables', 'apply: what it adds to iptables-restore', (report) =>
    [30, 300, 3000].flatMap((rules) =>
      ['nft', 'legacy'].map((backend) => ({
        label: `${rules} rules, ${backend}`,
        bars: timings(report, `apply, ${rules} rules, ${backend}`).filter(
          ({ name }) => !name.startsWith('one process'),
        ),
      })),
    ),
  )
  plot('startup', 'What a start costs: compiled files', (report) =>
    timings(report, 'startup').map((timing) => ({ label: timing.name, bars: [{ ...timing, name: 'ours' }] })),
  )
})

/**
 * @param {string} name of the report and of the picture
 * @param {string} title
 * @param {(report: Record<string, unknown>) => { label: string, bars: Timing[] }[]} groupsOf
 */
function plot(name, title, groupsOf) {
  const file = join(root, 'bench/report', `${name}.json`)
  let report
  try {
    report = JSON.parse(readFileSync(file, 'utf8'))
  } catch (cause) {
    throw new Stop(
      `${file} cannot be read: run npm run bench first (${cause instanceof Error ? cause.message : cause})`,
    )
  }
  const note = `milliseconds, median of ${report.runs} runs, line: minimum to maximum. ${report.machine.replace(/-[^ ]*$/, '')}`
  mkdirSync(join(root, 'docs/plots'), { recursive: true })
  writeFileSync(join(root, 'docs/plots', `${name}.svg`), barChart({ title, note, groups: groupsOf(report) }))
  say(`docs/plots/${name}.svg`)
}

/** @param {Record<string, unknown>} report @param {string} suite @returns {Timing[]} */
function timings(report, suite) {
  const found = report[suite]
  if (!Array.isArray(found)) throw new Stop(`the report has no suite ${JSON.stringify(suite)}`)
  return found
}
