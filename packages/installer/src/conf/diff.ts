/** One line of a diff: kept, removed or added. */
interface DiffLine {
  readonly op: ' ' | '-' | '+'
  readonly text: string
}

/** Maximum number of cells in the table that compares two texts. A larger table would take too long. */
const MAX_CELLS = 4_000_000

/** Computes the diff of two texts by lines. An absent text has no lines. */
export function diffLines(before: string | undefined, after: string | undefined): DiffLine[] {
  const a = linesOf(before)
  const b = linesOf(after)
  let start = 0
  while (start < a.length && start < b.length && a[start] === b[start]) start += 1
  let end = 0
  while (end < a.length - start && end < b.length - start && a.at(-1 - end) === b.at(-1 - end)) end += 1
  return [
    ...a.slice(0, start).map(unchanged),
    ...middle(a.slice(start, a.length - end), b.slice(start, b.length - end)),
    ...a.slice(a.length - end).map(unchanged),
  ]
}

/** Formats a diff as text, with three lines of context around each change. */
export function formatDiff(
  lines: ReadonlyArray<{ readonly op: ' ' | '-' | '+'; readonly text: string }>,
  context = 3,
): string {
  const near = (index: number): boolean =>
    lines.slice(Math.max(0, index - context), index + context + 1).some((line) => line.op !== ' ')
  const out: string[] = []
  let gap = false
  for (const [index, line] of lines.entries()) {
    if (near(index)) {
      if (gap) out.push('@@')
      gap = false
      out.push(line.op + line.text)
    } else gap = true
  }
  return out.join('\n')
}

function linesOf(text: string | undefined): string[] {
  if (text === undefined || text === '') return []
  return (text.endsWith('\n') ? text.slice(0, -1) : text).split('\n')
}

function unchanged(text: string): DiffLine {
  return { op: ' ', text }
}

/** Diffs lines by their longest common subsequence. */
function middle(a: readonly string[], b: readonly string[]): DiffLine[] {
  const removed = a.map((text): DiffLine => ({ op: '-', text }))
  const added = b.map((text): DiffLine => ({ op: '+', text }))
  if (a.length * b.length > MAX_CELLS) return [...removed, ...added]
  const width = b.length + 1
  const table = new Uint32Array((a.length + 1) * width)
  const cell = (i: number, j: number): number => table[i * width + j] ?? 0
  for (let i = a.length - 1; i >= 0; i -= 1) {
    for (let j = b.length - 1; j >= 0; j -= 1) {
      table[i * width + j] = a[i] === b[j] ? cell(i + 1, j + 1) + 1 : Math.max(cell(i + 1, j), cell(i, j + 1))
    }
  }
  const out: DiffLine[] = []
  let i = 0
  let j = 0
  while (i < a.length && j < b.length) {
    if (a[i] === b[j]) {
      out.push(unchanged(b[j] ?? ''))
      i += 1
      j += 1
    } else if (cell(i + 1, j) >= cell(i, j + 1)) out.push(...removed.slice(i, ++i))
    else out.push(...added.slice(j, ++j))
  }
  return [...out, ...removed.slice(i), ...added.slice(j)]
}
