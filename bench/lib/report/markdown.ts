import type { Measure, Report, Suite } from './report.ts'

/** Quantities that the report shows in columns beside the time. */
const BESIDE = ['CPU ms', 'peak MB', '1000 instructions']

/** Formats a benchmark report as Markdown. */
export function reportMarkdown(report: Report): string {
  const { cpu, cores, kernel } = report.machine
  const versions = Object.entries(report.versions).map(([name, version]) => `${name} ${version}`)
  const suites = Object.entries(report.suites).map(([name, suite]) => suiteMarkdown(name, suite))
  return `# Benchmarks

${cores} × ${cpu}, Linux ${kernel}
${versions.join(', ')}
${peersLine(report.peers)}

Contenders run in turn (A B C A B C …) after one round to warm up. A ratio is the median of the rounds' ratios, ours ÷ the other; below 1 ours needs less.

${suites.join('\n')}`
}

/** Sentence of the report about the original programs, such as Istio's. */
export function peersLine(peers: readonly string[]): string {
  if (peers.length > 0) return `Originals raced: ${peers.join(', ')}.`
  return 'No originals found: only the bare runtime and the tools of this machine were raced. --peers DIR or CNI_PEERS names a folder with `istio-cni`, `install-cni`, `cnitool`.'
}

function suiteMarkdown(name: string, { about, date, commit, load, settings, measures }: Suite): string {
  const used = Object.entries(settings).map(([key, value]) => `${key} ${value}`)
  const isBeside = ({ group, name, quantity }: Measure): boolean =>
    BESIDE.includes(quantity) &&
    measures.some((row) => row.group === group && row.name === name && row.quantity === 'ms')
  const rows = measures.filter((one) => !isBeside(one))
  const columns = BESIDE.filter((quantity) => measures.some((one) => one.quantity === quantity && isBeside(one)))
  const beside = (one: Measure, quantity: string): string => {
    const other = measures.find((row) => row.group === one.group && row.name === one.name && row.quantity === quantity)
    if (other === undefined || one.quantity !== 'ms') return ''
    const [ratio] = other.ratios
    return `${shown(other.median)}${ratio === undefined ? '' : ` (${times(ratio.value)})`}`
  }
  const lines = rows.map((one, index) =>
    [
      one.group === rows[index - 1]?.group ? '' : one.group,
      one.quantity === 'ms' ? one.name : `${one.name}, ${one.quantity}`,
      one.runs === 0 ? 'never' : shown(one.median),
      one.runs < 2 ? '' : `${shown(one.min)} – ${shown(one.max)}`,
      ...columns.map((quantity) => beside(one, quantity)),
      one.ratios.map(({ to, value }) => `${times(value)} ${to}`).join(', '),
    ].join(' | '),
  )
  return `## ${name}

${about}. ${used.join(', ')}; ${date.slice(0, 16).replace('T', ' ')} UTC, ${commit === undefined ? '' : `commit ${commit}, `}load ${load}.

| ${['', '', 'median', 'min – max', ...columns, 'ratio'].join(' | ')} |
|${'---|'.repeat(columns.length + 5)}
${lines.map((line) => `| ${line} |`).join('\n')}
`
}

/** Formats a ratio with at least two digits. */
export function times(value: number): string {
  return `${value < 0.1 ? value.toPrecision(2) : value.toFixed(2)} ×`
}

function shown(value: number): string {
  if (!Number.isFinite(value)) return '–'
  if (value >= 100) return value.toFixed(0)
  return value.toFixed(value < 10 ? 2 : 1)
}
