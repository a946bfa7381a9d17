import type { Rule, Table } from '../rules/model.ts'

/** A rule to be written: what a program is told, and what it means. */
export interface StepRule {
  /** What `iptables-save` prints after `-A CHAIN`. */
  readonly text: string
  /** The rule of a ruleset that it is. */
  readonly rule?: Rule | undefined
}

/** One change of a table. Places count from 0, in the chain as the steps before have left it. */
export type Step<R extends StepRule = StepRule> =
  /** Makes a chain that is not there. */
  | { readonly step: 'create'; readonly chain: string }
  /** Makes a chain, or empties it when it is there. */
  | { readonly step: 'renew'; readonly chain: string }
  | { readonly step: 'flush'; readonly chain: string }
  | { readonly step: 'append'; readonly chain: string; readonly rule: R }
  | { readonly step: 'insert'; readonly chain: string; readonly at: number; readonly rule: R }
  /** Deletes a rule that was read: the first one of the chain with its text, or the one at a place. */
  | { readonly step: 'delete'; readonly chain: string; readonly rule: R; readonly at?: number }
  /** Removes a chain that is empty, and to which nothing leads any more. */
  | { readonly step: 'remove'; readonly chain: string }
  | { readonly step: 'policy'; readonly chain: string; readonly policy: string }

/** The changes of one family, table by table; a table of which there are none is not in it. */
export type Steps<R extends StepRule = StepRule> = ReadonlyMap<Table, readonly Step<R>[]>

/** The steps as restore text, one transaction per table; `''` when there are none. */
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
      // With --noflush this line empties an existing chain, on both back ends.
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

/** A restore text has no line breaks, and a comment of others must not become a line of its own. */
const lineOf = ({ text }: StepRule) => text.replaceAll('\n', ' ')
