import { type PodCase, WORDS_OF_NFT } from '../../../../istio-rules/test/random-pod.ts'
import type { Field } from './fields.ts'
import { shown } from './fields.ts'
import type { Pair } from './plugin-pair.ts'
import { isPart, parts, type State, sameRules } from './state.ts'

/** What both programs did with a case, and how the namespace was before. */
export interface Seen {
  readonly one: PodCase
  readonly pair: Pair
  /** The state of a namespace that nobody programmed. */
  readonly untouched: State
}

/** A difference that is a decision; docs/differences-from-istio.md says the same to users. */
export interface Known {
  readonly id: string
  readonly what: string
  holds(seen: Seen, field: Field): boolean
}

/**
 * A6: lists are used as they were checked, without blanks and duplicates and with decimal ports. The judge gives such
 * lists to the original and wants the same from both.
 */
export const LISTS = 'A6'

/** {@link LISTS} in words. */
export const LISTS_TEXT =
  'lists are used as they were checked: without blanks and duplicates, with decimal ports; there they reach iptables as written, which reads 0022 as 18'

/** Every difference that may remain, by the decision that wants it. */
export const knownDifferences: readonly Known[] = [
  {
    id: 'A1',
    what: "the node agent's own pod is skipped, ambient or not",
    holds: (seen) => seen.one.pod.metadata.name.startsWith('istio-cni-node-') && weSkip(seen),
  },
  {
    id: 'A3',
    what: "a pod on the host's network is skipped",
    holds: (seen) => seen.one.pod.spec.hostNetwork === true && weSkip(seen),
  },
  {
    id: 'A4',
    what: 'interceptionMode NONE skips the pod and is no error',
    holds: (seen) => annotationsOf(seen)['sidecar.istio.io/interceptionMode'] === 'NONE' && weSkip(seen),
  },
  {
    id: 'A5',
    what: '"*" in a list that has no "all" is an error that names the annotation; there iptables refuses the rules',
    holds: (seen) => weRefuse(seen, /^annotation .* is ".*": "\*" is not possible here/),
  },
  {
    id: 'A7',
    what: 'ADD repeated writes nothing; there the rules are in both back ends after it',
    holds: ({ one, pair, untouched }, field) =>
      one.calls === 2 &&
      (field === 'legacy ipv4' || field === 'legacy ipv6') &&
      pair.ours.state[field] === untouched[field] &&
      (pair.theirs.exitCode !== 0 ||
        sameRules(pair.theirs.state[field], pair.ours.state[field === 'legacy ipv4' ? 'nft ipv4' : 'nft ipv6'])),
  },
  {
    id: 'repeated native ADD',
    what: 'a repeated ADD with native rules changes nothing; there it inserts rules at other places than the first one',
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
    what: 'the rule of TPROXY is looked for first, and added once',
    holds: ({ one, pair }, field) =>
      one.calls === 2 &&
      field.startsWith('rules and routes') &&
      isPart(field) &&
      keepFirst(pair.theirs.state[field].replace(/^\d+:/gm, '')) === pair.ours.state[field].replace(/^\d+:/gm, ''),
  },
  {
    id: 'D7',
    what: 'both families use one back end, the legacy one as soon as it has tables; there each family has its own',
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
    what: 'owner groups also come from the pod, are validated, and are numeric; there iptables refuses them or looks names up',
    holds: (seen) => weRefuse(seen, /^environment variable ISTIO_OUTBOUND_OWNER_GROUPS(?:_EXCLUDE)? of /),
  },
  {
    id: 'owner groups',
    what: 'more groups than a rule can match become ranges; there iptables refuses the rule',
    holds: (seen, field) =>
      seen.pair.ours.exitCode === 0 &&
      (field === 'outcome' ? theyWereRefused(seen) : seen.pair.theirs.exitCode === 1) &&
      ownerGroups(seen) > (isNative(seen) ? 63 : 47),
  },
  {
    id: 'names',
    what: "with native rules, names of interfaces are names; there nft's grammar reads them, as a word, a wildcard or a number",
    holds: (seen, field) => {
      const { theirs, ours } = seen.pair
      if (!isNative(seen) || !hasWordOfNft(seen) || ours.exitCode !== 0) return false
      return field === 'outcome' ? theyWereRefused(seen) : theirs.exitCode === 1 || field === 'native'
    },
  },
  {
    id: 'loopback',
    what: 'the loopback range of the node is validated; there only by the command line',
    holds: (seen) => weRefuse(seen, /^environment variable ISTIO_OUTBOUND_IPV4_LOOPBACK_CIDR of /),
  },
  {
    id: 'B2',
    what: 'an IPv6 address counts when the previous result or the namespace knows it; there the namespace alone counts',
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
    what: 'CNI_ARGS with "=" in a value or ";" at the end are accepted',
    holds: ({ one, pair }) => /=[^;]*=|;$/.test(one.args) && shown(pair.theirs, 'outcome') === 'exit 1: arguments',
  },
  {
    id: 'results',
    what: 'members that the plugin does not know, and empty ones, are passed on',
    holds: ({ one }, field) => field === 'result' && (one.previous === 'result with more' || one.told.length === 0),
  },
  {
    id: 'nothing partial',
    what: 'a failing ADD takes back what it wrote',
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

/** In no order: where the original puts rules with IPv6 in between, others come in another order. */
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
