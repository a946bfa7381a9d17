/** Layout in which `util.inspect` prints the members of a value. */
export interface Layout {
  readonly indent: number
  readonly breakLength: number
  /** Number of nested levels of objects that the printed object contains. */
  readonly levels: number
}

/** Maximum number of nested levels that `util.inspect` prints on one line. */
const COMPACT = 3
const SEPARATOR = 2

export function layOut(
  prefix: string,
  parts: readonly string[],
  [open, close]: string,
  layout: Layout,
  list?: readonly unknown[],
): string {
  const lines = list !== undefined && parts.length > 6 ? columns(parts, list, layout) : parts
  const start = lines.length + layout.indent + 1 + prefix.length + 10
  const length = lines.reduce((sum, line) => sum + line.length, lines.length + start)
  const fits = length <= layout.breakLength && !lines.some((line) => line.includes('\n')) && !prefix.includes('\n')
  if (layout.levels < COMPACT && lines.length === parts.length && fits) {
    return `${prefix}${open} ${lines.join(', ')} ${close}`
  }
  const pad = `\n${' '.repeat(layout.indent)}`
  return `${prefix}${open}${pad}  ${lines.join(`,${pad}  `)}${pad}${close}`
}

/** Arranges the items of a long array in columns. */
function columns(
  parts: readonly string[],
  list: readonly unknown[],
  { indent, breakLength }: Layout,
): readonly string[] {
  const hasMore = list.length < parts.length || /^\.\.\. \d+ more item/.test(parts.at(-1) ?? '')
  const items = hasMore ? parts.slice(0, -1) : parts
  const widths = items.map((item) => item.length)
  const widest = Math.max(...widths) + SEPARATOR
  const total = widths.reduce((sum, width) => sum + width + SEPARATOR, 0)
  if (widest * 3 + indent >= breakLength || (total / widest <= 5 && widest > 6 + SEPARATOR)) return parts
  const bias = Math.max(widest - Math.sqrt(widest - total / parts.length), 1)
  const count = Math.min(
    Math.round(Math.sqrt(2.5 * bias * items.length) / bias),
    Math.floor((breakLength - indent) / widest),
    COMPACT * 4,
    15,
  )
  if (count <= 1) return parts
  const columnWidths = Array.from(
    { length: count },
    (_, column) => Math.max(...widths.filter((_width, index) => index % count === column)) + SEPARATOR,
  )
  const isNumeric = list.every((item) => typeof item === 'number' || typeof item === 'bigint')
  const rows: string[] = []
  for (let at = 0; at < items.length; at += count) rows.push(row(items.slice(at, at + count), columnWidths, isNumeric))
  return hasMore ? [...rows, parts.at(-1) ?? ''] : rows
}

function row(items: readonly string[], widths: readonly number[], isNumeric: boolean): string {
  return items
    .map((item, column) => {
      const isLast = column === items.length - 1
      const width = (widths[column] ?? 0) - (isLast ? SEPARATOR : 0)
      const text = isLast ? item : `${item}, `
      return isNumeric ? text.padStart(width) : isLast ? text : text.padEnd(width)
    })
    .join('')
}
