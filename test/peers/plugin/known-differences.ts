import { type PodCase, WORDS_OF_NFT } from '../../../packages/istio-rules/test/random-pod.ts'
import {
  type Field,
  isUntouched,
  type KnownDifference,
  oneBackend,
  type Seen as SeenCase,
  wroteNothing,
} from '../differences.ts'
import { sameRules } from '../state.ts'

type Seen = SeenCase<PodCase>

/** Description of difference A6. The test gives Istio's plugin lists without blanks or duplicates. */
export const LISTS_TEXT =
  'Blanks and duplicates in lists are removed, and ports are decimal. Istio passes the list unchanged to iptables, which reads 0022 as 18.'

/** Documented differences between Istio's plugin and ours, each with a function that recognizes the difference. */
export const knownDifferences: readonly KnownDifference<PodCase>[] = [
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
    holds: (seen, field) => {
      const { one, theirs, ours } = seen
      return (
        one.calls === 2 &&
        (field === 'legacy ipv4' || field === 'legacy ipv6') &&
        isUntouched(seen, field) &&
        (theirs.exitCode !== 0 ||
          sameRules(theirs.results[field], ours.results[field === 'legacy ipv4' ? 'nft ipv4' : 'nft ipv6']))
      )
    },
  },
  {
    id: 'repeated native ADD',
    what: 'A repeated ADD with nftables rules changes nothing. A repeated ADD of Istio inserts rules at other places than the first one.',
    holds: ({ one, theirs, ours }, field) =>
      one.calls === 2 && field === 'native' && sortedLines(theirs.results.native) === sortedLines(ours.results.native),
  },
  {
    id: 'A8',
    what: 'The policy rule of TPROXY is added once. Istio adds it again at each run.',
    holds: ({ one, theirs, ours }, field) =>
      one.calls === 2 &&
      field.startsWith('rules and routes') &&
      keepFirst(theirs.results[field].replace(/^\d+:/gm, '')) === ours.results[field].replace(/^\d+:/gm, ''),
  },
  oneBackend,
  {
    id: 'B1',
    what: 'Owner groups also come from the pod, are validated, and are numeric. In Istio iptables refuses them or looks up names.',
    holds: (seen) => weRefuse(seen, /^environment variable ISTIO_OUTBOUND_OWNER_GROUPS(?:_EXCLUDE)? of /),
  },
  {
    id: 'owner groups',
    what: 'More groups than a rule can match become ranges. In Istio iptables refuses the rule.',
    holds: (seen, field) =>
      seen.ours.exitCode === 0 && theyWereRefused(seen, field) && ownerGroups(seen) > (isNative(seen) ? 63 : 47),
  },
  {
    id: 'names',
    what: 'With nftables rules, an interface name is always a name. In Istio nft parses it as a keyword, a wildcard or a number.',
    holds: (seen, field) =>
      isNative(seen) &&
      hasWordOfNft(seen) &&
      seen.ours.exitCode === 0 &&
      (theyWereRefused(seen, field) || field === 'native'),
  },
  {
    id: 'loopback',
    what: 'The loopback range of the node is validated. In Istio only the command line validates it.',
    holds: (seen) => weRefuse(seen, /^environment variable ISTIO_OUTBOUND_IPV4_LOOPBACK_CIDR of /),
  },
  {
    id: 'B2',
    what: 'An IPv6 address counts if prevResult or the namespace has it. In Istio only the namespace counts.',
    holds: ({ one, theirs, ours }, field) =>
      one.previous !== 'none' &&
      one.told.some((address) => address.includes(':') && !one.addresses.includes(address)) &&
      ours.exitCode === 0 &&
      (theirs.exitCode === 1 ||
        / ipv6$|^addresses of lo$/.test(field) ||
        (field === 'native' && ofIpv4(theirs.results.native) === ofIpv4(ours.results.native))),
  },
  {
    id: 'B24',
    what: 'CNI_ARGS with "=" in a value or ";" at the end are accepted.',
    holds: ({ one, theirs }) => /=[^;]*=|;$/.test(one.args) && theirs.results.outcome === 'exit 1: arguments',
  },
  {
    id: 'results',
    what: 'Unknown and empty members of a result are passed on.',
    holds: ({ one }, field) => field === 'output' && (one.previous === 'result with more' || one.told.length === 0),
  },
  {
    id: 'nothing partial',
    what: 'A failed ADD is rolled back.',
    holds: (seen, field) => seen.theirs.exitCode === 1 && seen.ours.exitCode === 1 && isUntouched(seen, field),
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

const weSkip = (seen: Seen): boolean => seen.ours.exitCode === 0 && wroteNothing(seen)

const weRefuse = (seen: Seen, message: RegExp): boolean =>
  seen.ours.exitCode === 1 && message.test(JSON.parse(seen.ours.printed).msg) && wroteNothing(seen)

/** True if the result differs because the kernel or a program refused the rules of Istio's plugin. */
const theyWereRefused = ({ theirs }: Seen, field: Field): boolean =>
  field === 'outcome' ? theirs.results.outcome === 'exit 1: rules refused' : theirs.exitCode === 1

const keepFirst = (text: string): string => [...new Set(text.split('\n'))].join('\n')
