import { type PodCase, WORDS_OF_NFT } from '../../../packages/istio-rules/test/random-pod.ts'
import { isPart, parts, type State, sameRules } from '../state.ts'
import type { Field } from './fields.ts'
import { shown } from './fields.ts'
import type { Pair } from './plugin-pair.ts'

/** Results of Istio's plugin and of ours for a pod, and the namespace before the call. */
export interface Seen {
  readonly one: PodCase
  readonly pair: Pair
  /** State of the pod's network namespace before the plugin's call. */
  readonly untouched: State
}

/** Documented difference between Istio's plugin and ours, as in docs/differences-from-istio.md. */
export interface Known {
  readonly id: string
  readonly what: string
  holds(seen: Seen, field: Field): boolean
}

/** Identifier of a documented difference: only our plugin normalizes lists of ports. */
export const LISTS = 'A6'

/** Description of the documented difference {@link LISTS}. */
export const LISTS_TEXT =
  'Blanks and duplicates in lists are removed, and ports are decimal. Istio passes the list unchanged to iptables, which reads 0022 as 18.'

/** Documented differences between Istio's plugin and ours, each with a function that recognizes the difference. */
export const knownDifferences: readonly Known[] = [
  {
    id: 'A1',
    what: "The node agent's own pod is skipped, ambient or not.",
    holds: (seen) => seen.one.pod.metadata.name.startsWith('istio-cni-node-') && weSkip(seen),
  },
  {
    id: 'A3',
    what: "A pod on the host's network is skipped.",
    holds: (seen) => seen.one.pod.spec.hostNetwork === true && weSkip(seen),
  },
  {
    id: 'A4',
    what: 'interceptionMode NONE skips the pod. Istio reports an error.',
    holds: (seen) => annotationsOf(seen)['sidecar.istio.io/interceptionMode'] === 'NONE' && weSkip(seen),
  },
  {
    id: 'A5',
    what: '"*" in a list without a meaning for it is an error that names the annotation. In Istio iptables refuses the rules.',
    holds: (seen) => weRefuse(seen, /^annotation .* is ".*": "\*" is not possible here/),
  },
  {
    id: 'A7',
    what: 'A repeated ADD writes nothing. After a repeated ADD of Istio both back ends have the rules.',
    holds: ({ one, pair, untouched }, field) =>
      one.calls === 2 &&
      (field === 'legacy ipv4' || field === 'legacy ipv6') &&
      pair.ours.state[field] === untouched[field] &&
      (pair.theirs.exitCode !== 0 ||
        sameRules(pair.theirs.state[field], pair.ours.state[field === 'legacy ipv4' ? 'nft ipv4' : 'nft ipv6'])),
  },
  {
    id: 'repeated native ADD',
    what: 'A repeated ADD with nftables rules changes nothing. A repeated ADD of Istio inserts rules at other places than the first one.',
    holds: (seen, field) => {
      const { theirs, ours } = seen.pair
      return (
        seen.one.calls === 2 &&
        field === 'native' &&
        sortedLines(theirs.state.native) === sortedLines(ours.state.native)
      )
    },
  },
  {
    id: 'A8',
    what: 'The policy rule of TPROXY is added once. Istio adds it again at each run.',
    holds: ({ one, pair }, field) =>
      one.calls === 2 &&
      field.startsWith('rules and routes') &&
      isPart(field) &&
      keepFirst(pair.theirs.state[field].replace(/^\d+:/gm, '')) === pair.ours.state[field].replace(/^\d+:/gm, ''),
  },
  {
    id: 'D7',
    what: 'Both address families use one back end: iptables-legacy if it has tables. Istio chooses a back end for each family.',
    holds: ({ one, pair }, field) => {
      if (!isPart(field) || !one.foreign.some((line) => line.startsWith('iptables-legacy'))) return false
      const { theirs, ours } = pair
      return (
        (field === 'nft ipv6' && ours.state[field] === '' && theirs.state['legacy ipv6'] === '') ||
        (field === 'legacy ipv6' && sameRules(theirs.state['nft ipv6'], ours.state[field]))
      )
    },
  },
  {
    id: 'B1',
    what: 'Owner groups also come from the pod, are validated, and are numeric. In Istio iptables refuses them or looks up names.',
    holds: (seen) => weRefuse(seen, /^environment variable ISTIO_OUTBOUND_OWNER_GROUPS(?:_EXCLUDE)? of /),
  },
  {
    id: 'owner groups',
    what: 'More groups than a rule can match become ranges. In Istio iptables refuses the rule.',
    holds: (seen, field) =>
      seen.pair.ours.exitCode === 0 &&
      (field === 'outcome' ? theyWereRefused(seen) : seen.pair.theirs.exitCode === 1) &&
      ownerGroups(seen) > (isNative(seen) ? 63 : 47),
  },
  {
    id: 'names',
    what: 'With nftables rules, an interface name is always a name. In Istio nft parses it as a keyword, a wildcard or a number.',
    holds: (seen, field) => {
      const { theirs, ours } = seen.pair
      if (!isNative(seen) || !hasWordOfNft(seen) || ours.exitCode !== 0) return false
      return field === 'outcome' ? theyWereRefused(seen) : theirs.exitCode === 1 || field === 'native'
    },
  },
  {
    id: 'loopback',
    what: 'The loopback range of the node is validated. In Istio only the command line validates it.',
    holds: (seen) => weRefuse(seen, /^environment variable ISTIO_OUTBOUND_IPV4_LOOPBACK_CIDR of /),
  },
  {
    id: 'B2',
    what: 'An IPv6 address counts if prevResult or the namespace has it. In Istio only the namespace counts.',
    holds: ({ one, pair }, field) =>
      one.previous !== 'none' &&
      one.told.some((address) => address.includes(':') && !one.addresses.includes(address)) &&
      pair.ours.exitCode === 0 &&
      (pair.theirs.exitCode === 1 ||
        / ipv6$| of ipv6$|^addresses of lo$/.test(field) ||
        (field === 'native' && ofIpv4(pair.theirs.state.native) === ofIpv4(pair.ours.state.native))),
  },
  {
    id: 'B24',
    what: 'CNI_ARGS with "=" in a value or ";" at the end are accepted.',
    holds: ({ one, pair }) => /=[^;]*=|;$/.test(one.args) && shown(pair.theirs, 'outcome') === 'exit 1: arguments',
  },
  {
    id: 'results',
    what: 'Unknown and empty members of a result are passed on.',
    holds: ({ one }, field) => field === 'result' && (one.previous === 'result with more' || one.told.length === 0),
  },
  {
    id: 'nothing partial',
    what: 'A failed ADD is rolled back.',
    holds: ({ pair, untouched }, field) =>
      isPart(field) &&
      pair.theirs.exitCode === 1 &&
      pair.ours.exitCode === 1 &&
      pair.ours.state[field] === untouched[field],
  },
]

const annotationsOf = ({ one }: Seen): Readonly<Record<string, string>> => one.pod.metadata.annotations ?? {}

function ownerGroups({ one }: Seen): number {
  const proxies = [...(one.pod.spec.initContainers ?? []), ...one.pod.spec.containers]
  const values = [
    ...proxies.flatMap(({ env = [] }) => env),
    ...Object.entries(one.env).map(([name, value]) => ({ name, value })),
  ]
    .filter(({ name }) => name === 'ISTIO_OUTBOUND_OWNER_GROUPS')
    .map(({ value = '' }) => value.split(',').length)
  return Math.max(0, ...values)
}

const sortedLines = (listed: string): string => listed.split('\n').sort().join('\n')

const isNative = ({ one }: Seen): boolean => one.conf.native_nftables === true

/** Sorts the IPv4 rules of a ruleset, because IPv6 rules change the order of Istio's output. */
const ofIpv4 = (listed: string): string =>
  sortedLines(
    listed
      .split('\n')
      .filter((line) => !/\bip6 /.test(line))
      .join('\n'),
  )

const hasWordOfNft = (seen: Seen): boolean =>
  INTERFACES.some(
    (key) =>
      annotationsOf(seen)
        [key]?.split(',')
        .some((name) => WORDS_OF_NFT.includes(name)) === true,
  )

const INTERFACES = ['traffic.sidecar.istio.io/excludeInterfaces', 'istio.io/reroute-virtual-interfaces']

const weSkip = ({ pair, untouched }: Seen): boolean =>
  pair.ours.exitCode === 0 && parts.every((part) => pair.ours.state[part] === untouched[part])

function weRefuse({ pair, untouched }: Seen, message: RegExp): boolean {
  if (pair.ours.exitCode !== 1 || !message.test(JSON.parse(pair.ours.stdout).msg)) return false
  return parts.every((part) => pair.ours.state[part] === untouched[part])
}

const theyWereRefused = ({ pair }: Seen): boolean => shown(pair.theirs, 'outcome') === 'exit 1: rules refused'

const keepFirst = (text: string): string => [...new Set(text.split('\n'))].join('\n')
