import type { End, Step, TableVisit, Walk } from '../model/walk.ts'
import { s } from './dom.ts'
import { signs, words } from './ends.ts'

const CHAR = 7.3
const ROW = 22
const PAD = 12

/**
 * Draws a packet's path through the rules as SVG.
 *
 * @param id - prefix of element ids
 */
export function picture(walk: Walk, width: number, id: string): SVGElement {
  const parts: SVGElement[] = []
  const trunk = 26
  let y = 8
  const put = (element: SVGElement) => parts.push(element)
  put(pill(8, y, width - 16, walk.sender, walk.packet, 'sender'))
  y += 52
  if (walk.tables.length === 0) {
    put(line(trunk, y, trunk, y + 34))
    put(text(trunk + 16, y + 22, 'no rule is on its way', 'soft'))
    y += 34
  }
  for (const table of walk.tables) {
    put(line(trunk, y, trunk, y + 16))
    y += 16
    const drawn = drawTable(table, 8, y, width - 16)
    parts.push(...drawn.parts)
    y += drawn.height
  }
  put(line(trunk, y, trunk, y + 14))
  y += 14
  const ends = drawEnds(walk.end, trunk, y, width, `${id}-tip`)
  parts.push(...ends.parts)
  y += ends.height + 8
  return s(
    'svg',
    {
      viewBox: `0 0 ${width} ${y}`,
      width,
      height: y,
      class: 'picture',
      role: 'img',
      'aria-labelledby': `${id}-title`,
    },
    s('title', { id: `${id}-title` }, titleOf(walk)),
    ...parts,
  )
}

// internal

interface Drawn {
  readonly parts: readonly SVGElement[]
  readonly height: number
}

const titleOf = ({ sender, packet, tables, end }: Walk): string =>
  `${sender}: ${packet}. It comes through ${tables.map(({ place }) => place).join(', ') || 'no table'} and ends: ${words[end.kind]}, ${end.title}.`

function drawTable({ place, visits }: TableVisit, x: number, top: number, width: number): Drawn {
  const parts: SVGElement[] = []
  let y = top + 26
  for (const { chain, depth, steps } of visits) {
    const left = x + PAD + Math.min(depth, 4) * 16
    const rows = rowsOf(steps)
    const height = 26 + rows.length * ROW + 6
    const inner = width - (left - x) - PAD
    if (depth > 0) parts.push(s('path', { d: `M${left - 9} ${y - 8} v${22} h9`, class: 'jump', fill: 'none' }))
    parts.push(s('rect', { x: left, y, width: inner, height, rx: 7, class: 'chain' }))
    parts.push(text(left + 10, y + 18, chain, 'chain-name'))
    for (const [at, row] of rows.entries()) {
      const rowTop = y + 26 + at * ROW
      if (row.kind !== 'skipped') {
        parts.push(
          s('rect', { x: left + 5, y: rowTop, width: inner - 10, height: ROW - 2, rx: 4, class: `row-${row.kind}` }),
        )
      }
      parts.push(text(left + 12, rowTop + 14, cut(row.text, inner - 24), `row-text ${row.kind}-text`, row.text))
    }
    y += height + 8
  }
  const height = y - top + 2
  const box = s('rect', { x, y: top, width, height: height - 2, rx: 10, class: 'table' })
  return { parts: [box, text(x + PAD, top + 18, place, 'table-name'), ...parts], height }
}

interface Row {
  readonly kind: 'hit' | 'open' | 'effect' | 'skipped'
  readonly text: string
}

/** Returns the rows of a chain in the picture. Consecutive rules that do not match share one row. */
function rowsOf(steps: readonly Step[]): Row[] {
  const rows: Row[] = []
  let missed = 0
  const flush = () => {
    if (missed > 0)
      rows.push({ kind: 'skipped', text: `· ${missed} ${missed === 1 ? 'rule does' : 'rules do'} not match` })
    missed = 0
  }
  for (const { matched, index, rule, effect } of steps) {
    if (matched === false) {
      missed += 1
      continue
    }
    flush()
    rows.push({ kind: matched === true ? 'hit' : 'open', text: `${matched === true ? '✓' : '?'} ${index}: ${rule}` })
    if (effect !== undefined) rows.push({ kind: 'effect', text: `→ ${effect}` })
  }
  flush()
  return rows
}

/** Draws the three usual ends of a packet's path. An unusual end is drawn only if reached. */
function drawEnds(end: End, trunk: number, top: number, width: number, tipId: string): Drawn {
  const usual: readonly End['kind'][] = ['proxy', 'application', 'out']
  const kinds = usual.includes(end.kind) ? usual : [...usual, end.kind]
  const gap = 8
  const each = (width - 16 - gap * (kinds.length - 1)) / kinds.length
  const y = top + 24
  const parts = kinds.flatMap((kind, at) => {
    const x = 8 + at * (each + gap)
    const isReached = kind === end.kind
    const middle = x + each / 2
    const label = `${signs[kind]} ${words[kind]}`
    return [
      isReached &&
        s('path', {
          d: `M${trunk} ${top} v8 H${middle} v12`,
          class: 'way',
          fill: 'none',
          'marker-end': `url(#${tipId})`,
        }),
      s('rect', { x, y, width: each, height: 34, rx: 17, class: isReached ? `reached fill-${kind}` : 'unreached' }),
      s(
        'text',
        { x: middle, y: y + 22, class: isReached ? 'end-text reached-text' : 'end-text', 'text-anchor': 'middle' },
        cut(label, each - 10),
      ),
    ].filter((part) => part !== false)
  })
  const tip = s(
    'defs',
    {},
    s(
      'marker',
      { id: tipId, viewBox: '0 0 8 8', refX: 6, refY: 4, markerWidth: 7, markerHeight: 7, orient: 'auto' },
      s('path', { d: 'M0 0 L8 4 L0 8 z', class: 'tip' }),
    ),
  )
  return { parts: [tip, ...parts], height: 60 }
}

function pill(x: number, y: number, width: number, title: string, detail: string, kind: string): SVGElement {
  return s(
    'g',
    {},
    s('rect', { x, y, width, height: 50, rx: 12, class: kind }),
    text(x + 16, y + 21, cut(title, width - 32), 'pill-title'),
    text(x + 16, y + 39, cut(detail, width - 32), 'row-text', detail),
  )
}

const line = (x1: number, y1: number, x2: number, y2: number) => s('line', { x1, y1, x2, y2, class: 'way' })

function text(x: number, y: number, content: string, kind: string, full?: string): SVGElement {
  return s('text', { x, y, class: kind }, content, full !== undefined && full !== content && s('title', {}, full))
}

/** Shortens a text so that it fits into the given width of the picture. */
function cut(content: string, room: number): string {
  const most = Math.max(4, Math.floor(room / CHAR))
  return content.length > most ? `${content.slice(0, most - 1)}…` : content
}
