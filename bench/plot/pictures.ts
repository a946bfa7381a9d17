import type { Report } from '../lib/report/report.ts'
import { barChart } from './bar-chart.ts'
import { finder } from './cells.ts'

/** Draws the charts of the benchmark pages as SVG. Returns each SVG text by its file name. */
export function plots(report: Report): Record<string, string> {
  const of = finder(report)
  const bars = (suite: string, group: string, names: readonly string[]) =>
    names.flatMap((name) => {
      const one = of(suite, group, name)
      return one === undefined ? [] : [{ name, medianMs: one.median, minMs: one.min, maxMs: one.max }]
    })
  const verbs = ['VERSION', 'ADD, mesh pod', 'ADD, pod outside the mesh', 'CHECK, mesh pod', 'DEL, mesh pod']
  const sizes = [30, 300, 3000].flatMap((rules) => ['nft', 'legacy'].map((backend) => `${rules} rules, ${backend}`))
  const note = (suite: string) =>
    `milliseconds, median of ${report.suites[suite]?.settings.runs} runs, line: minimum to maximum. ${report.machine.cores} × ${report.machine.cpu}, Linux ${report.machine.kernel.replace(/-.*/, '')}`
  return {
    'plugin.svg': barChart({
      title: 'istio-cni and the original: whole process',
      note: note('plugin'),
      groups: verbs.map((group) => ({ label: group, bars: bars('plugin', group, ['ours', 'original']) })),
    }),
    'iptables.svg': barChart({
      title: 'apply: what it adds to iptables-restore',
      note: note('iptables'),
      groups: sizes.map((size) => ({
        label: size,
        bars: bars('iptables', `apply, ${size}`, ['ours', 'iptables-restore']),
      })),
    }),
  }
}
