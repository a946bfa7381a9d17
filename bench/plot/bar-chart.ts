type Bar = { name: string; medianMs: number; minMs: number; maxMs: number }
type Group = { label: string; bars: readonly Bar[] }

const WIDTH = 760
const LEFT = 250
const RIGHT = 100
const BAR = 14
const COLOURS = ['#0b63a5', '#b35900']

/** Draws a horizontal bar chart as SVG, readable on light and dark pages. */
export function barChart({ title, note, groups }: { title: string; note: string; groups: Group[] }) {
  const all = groups.flatMap(({ bars }) => bars)
  const names = [...new Set(all.map(({ name }) => name))]
  // Cuts bars that are longer than this value, so that short bars stay readable.
  const limit = Math.max(...all.map(({ medianMs }) => medianMs)) * 1.3
  const x = (ms: number) => LEFT + (Math.min(ms, limit) / limit) * (WIDTH - LEFT - RIGHT)
  const rows = []
  let y = 64
  for (const { label, bars } of groups) {
    rows.push(text(LEFT - 10, y + (bars.length * (BAR + 3)) / 2 + 3, label, 'end'))
    for (const bar of bars) {
      const colour = COLOURS[names.indexOf(bar.name) % COLOURS.length]
      const middle = y + BAR / 2
      const value = `${bar.medianMs.toFixed(1)}${names.length > 1 ? ` ${bar.name}` : ''}`
      const end = Math.max(x(bar.medianMs), x(bar.maxMs))
      rows.push(
        `<rect x="${LEFT}" y="${y}" width="${fixed(x(bar.medianMs) - LEFT)}" height="${BAR}" fill="${colour}"/>`,
        `<line x1="${fixed(x(bar.minMs))}" x2="${fixed(x(bar.maxMs))}" y1="${middle}" y2="${middle}" stroke="#444"/>`,
        text(end + 6, y + BAR - 3, value, 'start'),
      )
      y += BAR + 3
    }
    y += 10
  }
  const height = y + 24
  const description = groups.map(({ label, bars }) => `${label}: ${bars.map(spoken).join(', ')}`).join('; ')
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${WIDTH} ${height}" width="${WIDTH}" height="${height}" role="img" aria-labelledby="title desc" font-family="system-ui, sans-serif" font-size="12" fill="#222">
<title id="title">${escaped(title)}</title>
<desc id="desc">${escaped(`${description}. ${note}`)}</desc>
<rect width="100%" height="100%" rx="6" fill="#fff"/>
<text x="16" y="28" font-size="16" font-weight="600">${escaped(title)}</text>
<text x="16" y="46" fill="#555">${escaped(note)}</text>
${rows.join('\n')}
</svg>
`
}

const spoken = ({ name, medianMs }: Bar) => `${name} ${medianMs.toFixed(1)} ms`

const text = (x: number, y: number, said: string, anchor: string) =>
  `<text x="${fixed(x)}" y="${fixed(y)}" text-anchor="${anchor}">${escaped(said)}</text>`

const fixed = (value: number) => Number(value.toFixed(1))

const escaped = (said: string) => said.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;')
