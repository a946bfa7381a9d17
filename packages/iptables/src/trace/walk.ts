import type { SavedChain, SavedRule } from '../parse/saved-tables.ts'
import { conditionText, meets } from './conditions.ts'
import { act, isHarmless, type Outcome } from './effects.ts'
import type { TraceStep } from './trace-types.ts'
import type { TracedPacket } from './traced-packet.ts'

/** Result of a packet's walk through one table. */
export type Ending =
  | { readonly kind: 'accept' }
  | { readonly kind: 'end'; readonly verdict: 'DROP' | 'REJECT' | 'undecided'; readonly reason: string }

/** Maximum number of rules in one trace. More rules mean exponential growth or a `goto` loop. */
const maxSteps = 10_000

/** Walks the traced packet through the chains of one table, from the built-in chain of the hook. */
export function walkTable(chains: ReadonlyMap<string, SavedChain>, traced: TracedPacket, path: TraceStep[]): Ending {
  const base = traced.hook
  const stack: Position[] = []
  let at: Position = { chain: base, next: 0 }
  for (;;) {
    const rules = chains.get(at.chain)?.rules ?? []
    const rule = rules[at.next++]
    if (rule === undefined) {
      const back = stack.pop()
      if (back === undefined) return policy(chains.get(base), traced)
      at = back
      continue
    }
    if (path.length >= maxSteps) return undecided(`more than ${maxSteps} rules on the way`)
    const where = `${traced.table} ${at.chain} rule ${at.next}`
    const { target, goto } = rule.canonical
    const { matched, open, assumed } = matches(rule, traced)
    const place = {
      ...{ hook: base, table: traced.table, chain: at.chain, index: at.next, rule: rule.text },
      ...(assumed.length === 0 ? {} : { assumed }),
    }
    if (matched === false || (matched === undefined && isHarmless(target))) {
      path.push({ ...place, matched })
    } else if (matched === undefined) {
      path.push({ ...place, matched })
      return undecided(`${where}: whether it matches is not known: ${open}`)
    } else if (chains.has(target)) {
      path.push({ ...place, matched })
      if (!goto) {
        if (stack.some(({ chain }) => chain === target) || at.chain === target) {
          return undecided(`${where}: ${target} is on the way already, a loop that the kernel refuses`)
        }
        stack.push(at)
      }
      at = { chain: target, next: 0 }
    } else if (target === 'RETURN') {
      path.push({ ...place, matched })
      at = { chain: at.chain, next: Number.POSITIVE_INFINITY }
    } else {
      const outcome = act(rule.canonical, traced)
      path.push(stepOf({ ...place, matched }, outcome))
      if (outcome.kind === 'accept') return { kind: 'accept' }
      if (outcome.kind === 'drop')
        return { kind: 'end', verdict: outcome.verdict, reason: `${where}: ${outcome.verdict}` }
      if (outcome.kind === 'unknown') return undecided(`${where}: ${outcome.reason}`)
    }
  }
}

// internal

interface Position {
  readonly chain: string
  next: number
}

interface Answer {
  readonly matched: boolean | undefined
  readonly open: string
  readonly assumed: readonly string[]
}

function matches(rule: SavedRule, traced: TracedPacket): Answer {
  const open: string[] = []
  const assumed: string[] = []
  const { assume = {} } = traced.options
  for (const condition of rule.canonical.conditions) {
    let met = meets(condition, traced)
    const text = met === undefined ? conditionText(condition) : ''
    if (met === undefined && Object.hasOwn(assume, text)) {
      met = assume[text]
      assumed.push(text)
    }
    if (met === false) return { matched: false, open: '', assumed }
    if (met === undefined) open.push(text)
  }
  return { matched: open.length === 0 ? true : undefined, open: open.join(', '), assumed }
}

function policy(chain: SavedChain | undefined, { table, hook }: TracedPacket): Ending {
  const verdict = chain?.policy ?? 'ACCEPT'
  if (verdict === 'ACCEPT') return { kind: 'accept' }
  const reason = `policy of ${table} ${hook}: ${verdict}`
  return verdict === 'DROP' ? { kind: 'end', verdict, reason } : undecided(reason)
}

const undecided = (reason: string): Ending => ({ kind: 'end', verdict: 'undecided', reason })

const stepOf = (step: TraceStep, outcome: Outcome): TraceStep =>
  'effect' in outcome && outcome.effect !== undefined ? { ...step, effect: outcome.effect } : step
