import { escapeUnsafe } from '@cni/types'
import { endpointText, packetText } from '@cni/types/packet'
import type { Trace } from './trace.ts'
import type { TraceStep } from './walk.ts'

/** How {@link explain} writes. */
export interface ExplainOptions {
  /** `mermaid` is a flowchart of the rules that matched. Default: `text`. */
  readonly format?: 'text' | 'mermaid'
}

/**
 * A trace for people: every rule the packet came to (`✓` matched, `·` not, `?` not known), what each did, what became
 * of it. Comments of rules cannot break out of a line of text or a label of the flowchart.
 */
export function explain(trace: Trace, { format = 'text' }: ExplainOptions = {}): string {
  return format === 'mermaid' ? mermaid(trace) : text(trace)
}

// internal

function text(trace: Trace): string {
  const lines = [packetText(trace.packet)]
  for (const { place, steps } of byHook(trace.path)) {
    lines.push(`  ${place}`)
    for (const { step } of steps) {
      const sign = step.matched === undefined ? '?' : step.matched ? '✓' : '·'
      lines.push(`    ${sign} ${stepText(step)}`)
    }
  }
  lines.push(outcome(trace))
  return `${lines.map(escapeUnsafe).join('\n')}\n`
}

function mermaid(trace: Trace): string {
  const lines = ['flowchart TD', `  packet([${label(packetText(trace.packet))}])`]
  const arrows: string[] = []
  let last = 'packet'
  for (const [number, { place, steps }] of byHook(trace.path).entries()) {
    const shown = steps.filter(({ step }) => step.matched !== false)
    if (shown.length === 0) continue
    lines.push(`  subgraph h${number}[${label(place)}]`)
    for (const { step, at } of shown) {
      lines.push(`    r${at}[${label(stepText(step))}]`)
      arrows.push(`  ${last} ${step.matched === undefined ? '-.->' : '-->'} r${at}`)
      last = `r${at}`
    }
    lines.push('  end')
  }
  lines.push(`  verdict([${label(outcome(trace))}])`, ...arrows, `  ${last} --> verdict`)
  return `${lines.join('\n')}\n`
}

interface HookSteps {
  readonly place: string
  readonly steps: { readonly step: TraceStep; readonly at: number }[]
}

function byHook(path: readonly TraceStep[]): HookSteps[] {
  const found: HookSteps[] = []
  for (const [at, step] of path.entries()) {
    const place = `${step.table} ${step.hook}`
    if (found.at(-1)?.place !== place) found.push({ place, steps: [] })
    found.at(-1)?.steps.push({ step, at })
  }
  return found
}

function stepText({ chain, index, rule, effect, assumed = [] }: TraceStep): string {
  const parts = [`${chain} ${index}: ${rule}`.trimEnd()]
  if (effect !== undefined) parts.push(`→ ${effect}`)
  if (assumed.length > 0) parts.push(`(assumed: ${assumed.join(', ')})`)
  return parts.join('  ')
}

function outcome({ verdict, reason, destination, rewritten, tproxy, mark, zone }: Trace): string {
  const notes: string[] = [verdict]
  if (reason !== '') notes.push(`(${reason})`)
  if (rewritten !== undefined) notes.push(`to ${endpointText(destination.address, destination.port)}`)
  if (tproxy !== undefined) notes.push(`to the proxy on ${endpointText(tproxy.address ?? '*', tproxy.port)}`)
  if (mark !== undefined && mark !== 0) notes.push(`mark 0x${mark.toString(16)}`)
  if (zone !== undefined) notes.push(`zone ${zone}`)
  return notes.join(' ')
}

/** Mermaid takes entities in a quoted label: all but plain characters are some. */
const label = (content: string) =>
  `"${escapeUnsafe(content).replace(/[^\w ./:,=!→·()-]/gu, (char) => `#${char.codePointAt(0)};`)}"`
