import type { Rule, Table } from '../rules/model.ts'

/** Rule to write: its text for programs, and its meaning. */
export interface StepRule {
  /** Text of the rule that `iptables-save` prints after `-A CHAIN`. */
  readonly text: string
  /** Rule of a ruleset, if the rule to write comes from one. */
  readonly rule?: Rule | undefined
}

/** Change of a table. Positions count from 0, in the chain after the previous steps. */
export type Step<R extends StepRule = StepRule> =
  /** Creates a missing chain. */
  | { readonly step: 'create'; readonly chain: string }
  /** Creates a chain, or empties an existing one. */
  | { readonly step: 'renew'; readonly chain: string }
  | { readonly step: 'flush'; readonly chain: string }
  | { readonly step: 'append'; readonly chain: string; readonly rule: R }
  | { readonly step: 'insert'; readonly chain: string; readonly at: number; readonly rule: R }
  /** Deletes an existing rule: the first rule with its text, or the rule at a position. */
  | { readonly step: 'delete'; readonly chain: string; readonly rule: R; readonly at?: number }
  /** Removes an empty chain to which no rule jumps. */
  | { readonly step: 'remove'; readonly chain: string }
  | { readonly step: 'policy'; readonly chain: string; readonly policy: string }

/** Steps of one family by table. Tables without changes are omitted. */
export type Steps<R extends StepRule = StepRule> = ReadonlyMap<Table, readonly Step<R>[]>

/** Restore text of the steps, one transaction per table; `''` without steps. */
export function stepsText(steps: Steps): string {
  let text = ''
  for (const [table, list] of steps) text += `*${table}\n${list.map(stepLine).join('\n')}\nCOMMIT\n`
  return text
}

// internal

function stepLine(step: Step): string {
  const { chain } = step
  switch (step.step) {
    case 'create':
      return `-N ${chain}`
    case 'renew':
      // With --noflush, this line empties an existing chain on both back ends.
      return `:${chain} - [0:0]`
    case 'flush':
      return `-F ${chain}`
    case 'append':
      return `-A ${chain} ${lineOf(step.rule)}`.trimEnd()
    case 'insert':
      return `-I ${chain} ${step.at + 1} ${lineOf(step.rule)}`.trimEnd()
    case 'delete':
      return step.at === undefined ? `-D ${chain} ${step.rule.text}`.trimEnd() : `-D ${chain} ${step.at + 1}`
    case 'remove':
      return `-X ${chain}`
    case 'policy':
      return `-P ${chain} ${step.policy}`
  }
}

/** Restore text has no line breaks: a foreign comment must not start a new line. */
const lineOf = ({ text }: StepRule) => text.replaceAll('\n', ' ')
