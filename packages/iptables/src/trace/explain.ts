import { endpointText, packetText } from './packet-text.ts'
import type { Trace } from './trace.ts'
import type { TraceStep } from './walk.ts'

/** How {@link explain} writes. */
export interface ExplainOptions {
  /** `mermaid` is a flowchart of the rules that matched. Default: `text`. */
  readonly format?: 'text' | 'mermaid'
}

/** A trace for people: every rule the packet came to, what each did, what became of it. */
export function explain(trace: Trace, { format = 'text' }: ExplainOptions = {}): string {
  return format === 'mermaid' ? mermaid(trace) : text(trace)
}

// internal

function text(trace: Trace): string {
  const lines = [packetText(trace.packet)]
  let place = ''
  for (const step of trace.path) {
    const here = hookText(step)
    if (here !== place) lines.push(`  ${here}`)
    place = here
    const sign = step.matched === undefined ? '?' : step.matched ? '✓' : '·'
    const effect = step.effect === undefined ? '' : `  → ${step.effect}`
    lines.push(`    ${sign} ${step.chain} ${step.index}: ${step.rule}${effect}`)
  }
  lines.push(outcome(trace))
  return `${lines.join('\n')}\n`
}

function mermaid(trace: Trace): string {
  const lines = ['flowchart TD', `  packet([${label(packetText(trace.packet))}])`]
  let last = 'packet'
  for (const [number, step] of trace.path.entries()) {
    if (step.matched === false) continue
    const id = `r${number}`
    const effect = step.effect === undefined ? '' : ` → ${step.effect}`
    lines.push(`  ${id}[${label(`${hookText(step)}: ${step.chain} ${step.index}: ${step.rule}${effect}`)}]`)
    lines.push(`  ${last} ${step.matched === undefined ? '-.->' : '-->'} ${id}`)
    last = id
  }
  lines.push(`  verdict([${label(outcome(trace))}])`, `  ${last} --> verdict`)
  return `${lines.join('\n')}\n`
}

const hookText = ({ hook, table }: TraceStep) => `${table} ${hook}`

function outcome({ verdict, reason, destination, rewritten, tproxy, mark, zone }: Trace): string {
  const notes: string[] = [verdict]
  if (reason !== '') notes.push(`(${reason})`)
  if (rewritten !== undefined) notes.push(`to ${endpointText(destination.address, destination.port)}`)
  if (tproxy !== undefined) notes.push(`to the proxy on ${endpointText(tproxy.address ?? '*', tproxy.port)}`)
  if (mark !== undefined && mark !== 0) notes.push(`mark 0x${mark.toString(16)}`)
  if (zone !== undefined) notes.push(`zone ${zone}`)
  return notes.join(' ')
}

/** Mermaid takes entities in a quoted label; comments of rules may hold anything. */
const label = (content: string) => `"${content.replace(/[^\w\s./:,=!→·()-]/gu, (char) => `#${char.codePointAt(0)};`)}"`
