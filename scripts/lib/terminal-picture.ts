/** Draws terminal text as SVG: success in green, failure in red, details in grey. */
export function terminalPicture(text: string, { title, columns = 120 }: { title: string; columns?: number }): string {
  const lines = text
    .replace(/\n+$/, '')
    .split('\n')
    .map((line) => clipped(line, columns))
  const width = Math.ceil(columns * CHARACTER + 2 * MARGIN)
  const height = lines.length * LINE + 2 * MARGIN
  const rows = lines.map((line, i) => row(line, MARGIN + (i + 1) * LINE - 4)).join('\n')
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" role="img" aria-label="${escaped(title)}">
<style>
text { font: 12px ui-monospace, SFMono-Regular, Menlo, Consolas, monospace; fill: #d6d9de; white-space: pre }
.good { fill: #7fd88f } .bad { fill: #ff8f87 } .head { fill: #ffffff; font-weight: 600 } .dim { fill: #8b929c }
</style>
<rect width="${width}" height="${height}" rx="8" fill="#1c1f24"/>
${rows}
</svg>
`
}

const CHARACTER = 7.23
const LINE = 17
const MARGIN = 16

function row(line: string, y: number) {
  const [, mark = '', rest = line] = /^(\s*[✓✗] )(.*)$/.exec(line) ?? []
  const start = mark === '' ? '' : `<tspan class="${mark.includes('✓') ? 'good' : 'bad'}">${escaped(mark)}</tspan>`
  return `<text x="${MARGIN}" y="${y}"${kindOf(line)} xml:space="preserve">${start}${escaped(rest)}</text>`
}

function kindOf(line: string) {
  if (/^(\$|\d+\. )/.test(line)) return ' class="head"'
  return /^ {5}/.test(line) ? ' class="dim"' : ''
}

const clipped = (line: string, columns: number) => (line.length <= columns ? line : `${line.slice(0, columns - 1)}…`)

const escaped = (text: string) =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('"', '&quot;')
