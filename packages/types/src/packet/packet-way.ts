import { escapeUnsafe } from '../text/unsafe-text.ts'
import type { Packet } from './packet.ts'
import { endpointText, packetText } from './packet-text.ts'

/**
 * Explains a packet's path through a ruleset: rules, effects and verdict. Marks: `✓` matched, `·` did not match, `?`
 * unknown. Escapes names and comments, because they could break a line.
 */
export function explainWay(
  way: {
    readonly packet: Packet
    readonly verdict: string
    /** Reason of the packet's verdict, as text. May be empty. */
    readonly reason: string
    readonly destination: { readonly address?: string; readonly port?: number }
    /**
     * Name of the target, such as `DNAT`, that rewrote the packet's destination. `undefined` if the destination did not
     * change.
     */
    readonly rewritten?: string
    readonly tproxy?: { readonly address?: string; readonly port: number }
    readonly mark?: number
    readonly zone?: number
    /** Rules that the packet reached, in order. */
    readonly path: ReadonlyArray<{
      /** Heading under which the rule is printed. Consecutive rules with the same heading form a group. */
      readonly place: string
      readonly chain: string
      /** Position of the rule in its chain, counted from 1. */
      readonly index: number
      readonly rule: string
      /** True if the rule matched the packet, false if not. `undefined` if the trace could not decide. */
      readonly matched: boolean | undefined
      /** Conditions of the rule that the trace cannot test and for which the caller has given a result. */
      readonly assumed?: readonly string[]
      /** Effect of the rule on the packet. Missing if the rule's own text shows the effect. */
      readonly effect?: string
    }>
  },
  options: {
    /** Format of the output. `mermaid` is a flowchart of the rules that matched. Default: `text`. */
    readonly format?: 'text' | 'mermaid' | undefined
  } = {},
): string {
  return options.format === 'mermaid' ? mermaid(way) : text(way)
}

// internal

type PacketWay = Parameters<typeof explainWay>[0]
type WayStep = PacketWay['path'][number]

function text(way: PacketWay): string {
  const lines = [packetText(way.packet)]
  for (const { place, steps } of groupByPlace(way.path)) {
    lines.push(`  ${place}`)
    for (const { step } of steps) {
      const sign = step.matched === undefined ? '?' : step.matched ? '✓' : '·'
      lines.push(`    ${sign} ${stepText(step)}`)
    }
  }
  lines.push(outcome(way))
  return `${lines.map(escapeUnsafe).join('\n')}\n`
}

function mermaid(way: PacketWay): string {
  const lines = ['flowchart TD', `  packet([${label(packetText(way.packet))}])`]
  const arrows: string[] = []
  let last = 'packet'
  for (const [number, { place, steps }] of groupByPlace(way.path).entries()) {
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
  lines.push(`  verdict([${label(outcome(way))}])`, ...arrows, `  ${last} --> verdict`)
  return `${lines.join('\n')}\n`
}

interface GroupedSteps {
  readonly place: string
  readonly steps: { readonly step: WayStep; readonly at: number }[]
}

function groupByPlace(path: readonly WayStep[]): GroupedSteps[] {
  const found: GroupedSteps[] = []
  for (const [at, step] of path.entries()) {
    const { place } = step
    if (found.at(-1)?.place !== place) found.push({ place, steps: [] })
    found.at(-1)?.steps.push({ step, at })
  }
  return found
}

function stepText({ chain, index, rule, effect, assumed = [] }: WayStep): string {
  const parts = [`${chain} ${index}: ${rule}`.trimEnd()]
  if (effect !== undefined) parts.push(`→ ${effect}`)
  if (assumed.length > 0) parts.push(`(assumed: ${assumed.join(', ')})`)
  return parts.join('  ')
}

function outcome({ verdict, reason, destination, rewritten, tproxy, mark, zone }: PacketWay): string {
  const notes: string[] = [verdict]
  if (reason !== '') notes.push(`(${reason})`)
  if (rewritten !== undefined) notes.push(`to ${endpointText(destination.address, destination.port)}`)
  if (tproxy !== undefined) notes.push(`to the proxy on ${endpointText(tproxy.address ?? '*', tproxy.port)}`)
  if (mark !== undefined && mark !== 0) notes.push(`mark 0x${mark.toString(16)}`)
  if (zone !== undefined) notes.push(`zone ${zone}`)
  return notes.join(' ')
}

/** Quotes a text as a label of a Mermaid flowchart. Mermaid requires entities such as `#35;` for special characters. */
const label = (content: string) =>
  `"${escapeUnsafe(content).replace(/[^\w ./:,=!→·()-]/gu, (char) => `#${char.codePointAt(0)};`)}"`
