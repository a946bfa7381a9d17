import { parts, type State, sameRules } from '../state.ts'
import type { CommandField } from './command-fields.ts'
import type { CommandPair } from './command-pair.ts'
import type { CommandCase } from './random-command.ts'

/** Results of Istio's program and of ours for the commands of a test case. */
export interface SeenCommands {
  readonly one: CommandCase
  readonly pair: CommandPair
  /** State of the network namespace before the last command of the test case. */
  readonly untouched: State
}

/** Documented difference between Istio's command-line program and ours. */
export interface KnownCommandDifference {
  readonly id: string
  readonly what: string
  holds(seen: SeenCommands, field: CommandField): boolean
}

/** Description of difference A6. The test gives Istio's program lists without blanks. */
export const COMMAND_LISTS_TEXT =
  'Blanks in lists are removed, and numbers are decimal. Istio passes the list unchanged to iptables, which reads 015 as 13.'

/** Documented differences between Istio's command-line program and ours. */
export const knownCommandDifferences: readonly KnownCommandDifference[] = [
  {
    id: 'CLI-03',
    what: 'Positional arguments are a usage error. Istio ignores them.',
    holds: (seen) => weRefuse(seen, /unexpected argument/),
  },
  {
    id: 'A5',
    what: '"*" in a list without a meaning for it is an error that names the flag. In Istio iptables refuses it, if it gets it.',
    holds: (seen) => weRefuse(seen, /"\*" is not possible here/),
  },
  {
    id: '14.4',
    what: 'Mark and table are parsed before anything is written. Istio parses them only with TPROXY, and after it has written the rules.',
    holds: (seen) => weRefuse(seen, /expected a decimal number of 32 bits/),
  },
  {
    id: 'force-apply',
    what: 'A second --force-apply fails and writes nothing. Istio writes into the other back end, unless one is forced.',
    holds: ({ one, pair, untouched }, field) =>
      one.runs.length > 1 &&
      one.runs.at(-1)?.argv.includes('--force-apply') === true &&
      !isForced(one) &&
      pair.ours.exitCodes.at(-1) === 1 &&
      (field === 'exit codes' || parts.some((part) => part === field && pair.ours.state[part] === untouched[part])),
  },
  {
    id: 'A7',
    what: 'A repeated run writes nothing. Each run of Istio uses another back end, unless one is forced.',
    holds: ({ one }, field) => one.runs.length > 1 && !isForced(one) && (field === 'exit codes' || isTables(field)),
  },
  {
    id: 'A8',
    what: 'The policy rule of TPROXY is added once. Istio adds it again at each run.',
    holds: ({ one, pair }, field) =>
      one.runs.length > 1 &&
      parts.some(
        (part) =>
          part === field &&
          part.startsWith('rules and routes') &&
          withoutPriority(pair.theirs.state[part]) === withoutPriority(pair.ours.state[part]),
      ),
  },
  {
    id: 'D7',
    what: 'Both address families use one back end: iptables-legacy if it has tables. Istio chooses a back end for each family.',
    holds: ({ one, pair }, field) =>
      one.foreign.some((line) => line.startsWith('iptables-legacy')) &&
      ((field === 'nft ipv6' && pair.ours.state[field] === '' && pair.theirs.state['legacy ipv6'] === '') ||
        (field === 'legacy ipv6' && sameRules(pair.theirs.state['nft ipv6'], pair.ours.state[field]))),
  },
  {
    id: '14.4 cleanup',
    what: '--cleanup-only also removes addresses, policy rules and routes. Istio removes only tables.',
    holds: ({ one, pair }, field) =>
      cleansUp(one) &&
      pair.ours.exitCodes.at(-1) === 0 &&
      (field === 'addresses of lo' || field.startsWith('rules and routes')) &&
      parts.some((part) => part === field && isSubset(pair.ours.state[part], pair.theirs.state[part])),
  },
  {
    id: 'values',
    what: 'Values are checked before anything is written, and are plain: no 0x10, no names of services.',
    holds: (seen) =>
      weRefuse(seen, /\terror\t(?:--[\w-]+|environment variable \w+) is "/) &&
      refusedValues(seen.pair).every(([flag, value]) => !isPlain(flag, value)),
  },
  {
    id: 'nothing partial',
    what: 'A failed command is rolled back.',
    holds: ({ pair, untouched }, field) =>
      pair.theirs.exitCodes.at(-1) === 1 &&
      pair.ours.exitCodes.at(-1) === 1 &&
      parts.some((part) => part === field && pair.ours.state[part] === untouched[part]),
  },
]

/** True if our program refuses a command of the test case with the message. */
function weRefuse({ one, pair, untouched }: SeenCommands, message: RegExp): boolean {
  const { theirs, ours } = pair
  const first = ours.exitCodes.findIndex((code, index) => code !== theirs.exitCodes[index])
  if (!message.test(ours.printed) || (first !== -1 && ours.exitCodes[first] !== 1)) return false
  return one.runs.length > 1 || parts.every((part) => ours.state[part] === untouched[part])
}

const cleansUp = ({ runs }: CommandCase): boolean => runs.at(-1)?.argv.includes('--cleanup-only') === true

const isForced = ({ runs }: CommandCase): boolean =>
  runs.every(({ argv }) => argv.some((arg) => arg.startsWith('--force-iptables-binary')))

const isTables = (field: string): boolean => /^(?:legacy|nft) /.test(field)

const withoutPriority = (text: string): string => [...new Set(text.replace(/^\d+:/gm, '').split('\n'))].join('\n')

/** Lists the invalid values that our program's messages name, each with its flag or environment variable. */
const refusedValues = ({ ours }: CommandPair): Array<readonly [flag: string, value: string]> =>
  [...ours.printed.matchAll(/\terror\t(--[\w-]+|environment variable \w+) is ("(?:[^"\\]|\\.)*")/g)].map(
    ([, flag = '', value = '""']) => [flag, String(JSON.parse(value))],
  )

/** True for valid ports, IDs, IP ranges and interface names. Istio's program and ours should accept them. */
function isPlain(flag: string, value: string): boolean {
  const items = value.split(',')
  if (/interfaces/.test(flag)) return items.every((item) => /^[a-z][a-z\d.-]{0,14}$/.test(item))
  if (/cidr/i.test(flag)) return items.every((item) => /^[1-9]\d*\.\d+\.\d+\.\d+\/[1-9]\d?$/.test(item))
  return items.every((item) => /^[1-9]\d{0,4}$/.test(item) && Number(item) <= 65535)
}

const isSubset = (small: string, large: string): boolean => {
  const lines = new Set(large.split('\n'))
  return small.split('\n').every((line) => lines.has(line))
}
