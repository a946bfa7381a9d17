import { escapeUnsafe } from '@cni/types'
import { endpointText, packetText } from '@cni/types/packet'
import type { Trace } from './trace.ts'
import type { TraceStep } from './walk.ts'

/**
 * A trace for people: every rule the packet came to (`✓` to its end, `·` not, `?` not known), what each did, what became
 * of it. Names and comments cannot break out of a line.
 */
export function explain({ packet, path, ...end }: Trace): string {
  const lines = [packetText(packet)]
  let last = ''
  for (const step of path) {
    const place = `${step.hook}: ${step.family} ${step.table}`
    if (place !== last) lines.push(`  ${place}`)
    last = place
    const sign = step.matched === undefined ? '?' : step.matched ? '✓' : '·'
    lines.push(`    ${sign} ${stepText(step)}`)
  }
  lines.push(outcome(end))
  return `${lines.map(escapeUnsafe).join('\n')}\n`
}

function stepText({ chain, index, rule, effect, assumed = [] }: TraceStep): string {
  const parts = [`${chain} ${index}: ${rule}`]
  if (effect !== undefined) parts.push(`→ ${effect}`)
  if (assumed.length > 0) parts.push(`(assumed: ${assumed.join(', ')})`)
  return parts.join('  ')
}

function outcome({
  verdict,
  reason,
  destination,
  rewritten,
  tproxy,
  mark,
  zone,
}: Omit<Trace, 'packet' | 'path'>): string {
  const notes: string[] = [verdict]
  if (reason !== '') notes.push(`(${reason})`)
  if (rewritten !== undefined) notes.push(`to ${endpointText(destination.address, destination.port)}`)
  if (tproxy !== undefined) notes.push(`to the proxy on ${endpointText(tproxy.address ?? '*', tproxy.port)}`)
  if (mark !== undefined && mark !== 0) notes.push(`mark 0x${mark.toString(16)}`)
  if (zone !== undefined) notes.push(`zone ${zone}`)
  return notes.join(' ')
}
