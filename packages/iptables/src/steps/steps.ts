import type { Rule, Table } from '../rules/model.ts'

/** Rule of a planned change: as text for iptables programs, and as plain data for netlink. */
export interface StepRule {
  /** Text of the rule as `iptables-save` prints it after `-A CHAIN`. */
  readonly text: string
  /** Rule of the ruleset from which this rule was made; `undefined` if the rule comes from another source. */
  readonly rule?: Rule | undefined
}

/** One change of a chain or rule. Positions count from 0, after the previous changes. */
export type Step<R extends StepRule = StepRule> =
  /** Creates a chain. The chain must not exist. */
  | { readonly step: 'create'; readonly chain: string }
  /** Creates a chain, or empties an existing chain. */
  | { readonly step: 'renew'; readonly chain: string }
  | { readonly step: 'flush'; readonly chain: string }
  | { readonly step: 'append'; readonly chain: string; readonly rule: R }
  | { readonly step: 'insert'; readonly chain: string; readonly at: number; readonly rule: R }
  /** Deletes a rule of a chain: the first rule with this text, or the rule at a position. */
  | { readonly step: 'delete'; readonly chain: string; readonly rule: R; readonly at?: number }
  /** Removes an empty chain to which no rule jumps. */
  | { readonly step: 'remove'; readonly chain: string }
  | { readonly step: 'policy'; readonly chain: string; readonly policy: string }

/** Map from a table to the planned changes for one family. Tables without changes are omitted. */
export type Steps<R extends StepRule = StepRule> = ReadonlyMap<Table, readonly Step<R>[]>

/** Prints planned changes as restore text, with one transaction per table; `''` without changes. */
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
      // The line `:CHAIN` empties an existing chain on both back ends if `iptables-restore` runs with `--noflush`.
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

/** In restore text, a line break in another program's comment would start a new line. */
const lineOf = ({ text }: StepRule) => text.replaceAll('\n', ' ')
