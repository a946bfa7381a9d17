import { isUntouched, type KnownDifference, oneBackend, type Seen, wroteNothing } from '../differences.ts'
import type { CommandCase } from './random-command.ts'

/** Description of difference A6. The test gives Istio's program lists without blanks. */
export const COMMAND_LISTS_TEXT =
  'Blanks in lists are removed, and numbers are decimal. Istio passes the list unchanged to iptables, which reads 015 as 13.'

/** Documented differences between Istio's command-line program and ours. */
export const knownCommandDifferences: readonly KnownDifference<CommandCase>[] = [
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
    holds: (seen, field) =>
      seen.one.runs.length > 1 &&
      seen.one.runs.at(-1)?.argv.includes('--force-apply') === true &&
      !isForced(seen.one) &&
      seen.ours.exitCode === 1 &&
      (field === 'outcome' || isUntouched(seen, field)),
  },
  {
    id: 'A7',
    what: 'A repeated run writes nothing. Each run of Istio uses another back end, unless one is forced.',
    holds: ({ one }, field) =>
      one.runs.length > 1 && !isForced(one) && (field === 'outcome' || /^(?:legacy|nft) /.test(field)),
  },
  {
    id: 'A8',
    what: 'The policy rule of TPROXY is added once. Istio adds it again at each run.',
    holds: ({ one, theirs, ours }, field) =>
      one.runs.length > 1 &&
      field.startsWith('rules and routes') &&
      withoutPriority(theirs.results[field]) === withoutPriority(ours.results[field]),
  },
  oneBackend,
  {
    id: '14.4 cleanup',
    what: '--cleanup-only also removes addresses, policy rules and routes. Istio removes only tables.',
    holds: ({ one, theirs, ours }, field) =>
      one.runs.at(-1)?.argv.includes('--cleanup-only') === true &&
      ours.exitCode === 0 &&
      (field === 'addresses of lo' || field.startsWith('rules and routes')) &&
      isSubset(ours.results[field], theirs.results[field]),
  },
  {
    id: 'values',
    what: 'Values are checked before anything is written, and are plain: no 0x10, no names of services.',
    holds: (seen) =>
      weRefuse(seen, /\terror\t(?:--[\w-]+|environment variable \w+) is "/) &&
      refusedValues(seen).every(([flag, value]) => !isPlain(flag, value)),
  },
  {
    id: 'nothing partial',
    what: 'A failed command is rolled back.',
    holds: (seen, field) => seen.theirs.exitCode === 1 && seen.ours.exitCode === 1 && isUntouched(seen, field),
  },
]

/** True if our program refuses a command of the test case with the message. */
function weRefuse(seen: Seen<CommandCase>, message: RegExp): boolean {
  const { one, theirs, ours } = seen
  const theirCodes = theirs.results.outcome.split(',')
  const firstOther = ours.results.outcome.split(',').find((code, index) => code !== theirCodes[index])
  if (!message.test(ours.printed) || (firstOther !== undefined && firstOther !== '1')) return false
  return one.runs.length > 1 || wroteNothing(seen)
}

const isForced = ({ runs }: CommandCase): boolean =>
  runs.every(({ argv }) => argv.some((arg) => arg.startsWith('--force-iptables-binary')))

const withoutPriority = (text: string): string => [...new Set(text.replace(/^\d+:/gm, '').split('\n'))].join('\n')

/** Lists the invalid values that our program's messages name, each with its flag or environment variable. */
const refusedValues = ({ ours }: Seen<CommandCase>): Array<readonly [flag: string, value: string]> =>
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
