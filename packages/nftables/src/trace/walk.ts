import { ruleText } from '../print/rule.ts'
import { statementText } from '../print/statement.ts'
import type { Chain, Rule, Table } from '../rules/model.ts'
import { isMatch, type Statement } from '../rules/statement.ts'
import type { Verdict } from '../wire/fields/verdict.ts'
import { meets, verdictIn } from './conditions.ts'
import { act, isHarmless } from './effects.ts'
import type { TraceStep } from './trace-types.ts'
import type { TracedPacket } from './traced-packet.ts'

/** Result of a base chain for the packet. The packet continues only after `accept`. */
export type Ending =
  | { readonly kind: 'accept' }
  | { readonly kind: 'end'; readonly verdict: 'drop' | 'reject' | 'undecided'; readonly reason: string }

/** Maximum number of rules in a trace. A longer trace is a loop of `goto`, or grows exponentially. */
const MAX_STEPS = 10_000

/** Evaluates the rules of a base chain and of the chains that they reach. */
export function walkChain(base: Chain, table: Table, traced: TracedPacket, path: TraceStep[]): Ending {
  const chains = new Map(table.chains.map((chain) => [chain.name, chain]))
  const stack: Position[] = []
  let at: Position = { chain: base, next: 0 }
  for (;;) {
    const rule = at.chain.rules[at.next++]
    if (rule === undefined) {
      const caller = stack.pop()
      if (caller === undefined) return policyOf(base, table)
      at = caller
      continue
    }
    if (path.length >= MAX_STEPS) return undecided(`more than ${MAX_STEPS} rules on the way`)
    const { name: chain } = at.chain
    const where = `${table.family} ${table.name} ${chain} rule ${at.next}`
    const end = evaluate(rule, table, traced)
    const { matched, effect, assumed } = end
    path.push({
      ...{ hook: traced.hook, family: table.family, table: table.name, chain, index: at.next, matched },
      rule: ruleText(rule, table.family, { stateless: true }),
      ...(effect.length === 0 ? {} : { effect: effect.join(', ') }),
      ...(assumed.length === 0 ? {} : { assumed }),
    })
    if (end.reason !== undefined) return undecided(`${where}: ${end.reason}`)
    const { verdict } = end
    if (verdict === undefined || verdict.verdict === 'continue') continue
    if (verdict.verdict === 'accept') return { kind: 'accept' }
    if (verdict.verdict === 'drop' || verdict.verdict === 'reject') {
      return { kind: 'end', verdict: verdict.verdict, reason: `${where}: ${verdict.verdict}` }
    }
    if (!('chain' in verdict)) {
      at = { chain: at.chain, next: Number.POSITIVE_INFINITY }
      continue
    }
    const target = chains.get(verdict.chain)
    if (target === undefined) return undecided(`${where}: there is no chain ${JSON.stringify(verdict.chain)}`)
    if (verdict.verdict === 'jump') {
      if (stack.some((position) => position.chain === target) || at.chain === target) {
        return undecided(`${where}: ${target.name} is on the way already, a loop that the kernel refuses`)
      }
      stack.push(at)
    }
    at = { chain: target, next: 0 }
  }
}

interface Position {
  readonly chain: Chain
  next: number
}

/** Result of a rule for the traced packet. */
interface RuleEnd {
  readonly matched: boolean | undefined
  readonly effect: readonly string[]
  readonly assumed: readonly string[]
  readonly verdict?: Verdict | { readonly verdict: 'reject' }
  /** Reason for which the rule's result is unknown. Missing if the result is known. */
  readonly reason?: string
}

function evaluate({ statements }: Rule, table: Table, traced: TracedPacket): RuleEnd {
  const effect: string[] = []
  const assumed: string[] = []
  for (const [at, statement] of statements.entries()) {
    let next = step(statement, table, traced)
    const text = next.kind === 'open' ? statementText(statement, table.family, { stateless: true }) : ''
    const { assume = {} } = traced.options
    if (next.kind === 'open' && Object.hasOwn(assume, text)) {
      assumed.push(text)
      next = { kind: assume[text] === true ? 'next' : 'leave' }
    }
    if (next.kind === 'leave') return { matched: false, effect, assumed }
    if (next.kind === 'open') {
      if (isMatch(statement) && failsLater(statements.slice(at + 1), table, traced))
        return { matched: false, effect, assumed }
      // Continues after an unknown condition if no later statement of the rule changes the packet or gives a verdict.
      if (statements.slice(at).every((each) => isMatch(each) || isHarmless(each)))
        return { matched: undefined, effect, assumed }
      return { matched: undefined, effect, assumed, reason: next.reason ?? `whether it matches is not known: ${text}` }
    }
    if (next.effect !== undefined) effect.push(next.effect)
    if (next.kind === 'verdict') return { matched: true, effect, assumed, verdict: next.verdict }
  }
  return { matched: true, effect, assumed }
}

/** True if a later condition fails, which decides the rule despite an unknown condition. */
function failsLater(statements: Rule['statements'], table: Table, traced: TracedPacket): boolean {
  for (const statement of statements) {
    if (isMatch(statement)) {
      if (meets(statement, table, traced) === false) return true
    } else if (!isHarmless(statement)) return false
  }
  return false
}

type Next =
  | { readonly kind: 'next'; readonly effect?: string | undefined }
  | { readonly kind: 'leave' }
  | { readonly kind: 'open'; readonly reason?: string }
  | {
      readonly kind: 'verdict'
      readonly verdict: Verdict | { readonly verdict: 'reject' }
      readonly effect?: string | undefined
    }

function step(statement: Statement, table: Table, traced: TracedPacket): Next {
  if (isMatch(statement)) {
    const met = meets(statement, table, traced)
    return { kind: met === undefined ? 'open' : met ? 'next' : 'leave' }
  }
  switch (statement.kind) {
    case 'raw':
      return { kind: 'open', reason: `${statementText(statement, table.family)} is not modelled` }
    case 'vmap': {
      const verdict = verdictIn(statement, table, traced)
      if (verdict === undefined) return { kind: 'open' }
      return verdict === 'none' ? { kind: 'next' } : { kind: 'verdict', verdict }
    }
    case 'jump':
    case 'goto':
      return { kind: 'verdict', verdict: { verdict: statement.kind, chain: statement.chain } }
    case 'return':
      return { kind: 'verdict', verdict: { verdict: 'return' } }
    default: {
      const outcome = act(statement, traced)
      if (outcome.kind === 'unknown') return { kind: 'open', reason: outcome.reason }
      if (outcome.kind === 'leave') return { kind: 'leave' }
      if (outcome.kind === 'continue') return { kind: 'next', effect: outcome.effect }
      return {
        kind: 'verdict',
        verdict: { verdict: outcome.kind },
        effect: 'effect' in outcome ? outcome.effect : undefined,
      }
    }
  }
}

function policyOf({ name, policy = 'accept' }: Chain, { family, name: table }: Table): Ending {
  if (policy === 'accept') return { kind: 'accept' }
  return { kind: 'end', verdict: 'drop', reason: `policy of ${family} ${table} ${name}: drop` }
}

const undecided = (reason: string): Ending => ({ kind: 'end', verdict: 'undecided', reason })
