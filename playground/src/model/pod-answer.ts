import type { SavedTables } from '@cni/iptables/rules'
import { completePacket, decidePod, type PodDocument } from '@cni/istio-redirect/explain'
import {
  ambientAnnotations,
  type CaptureConfig,
  decideEnrolment,
  defaultProbeSource,
  nativeRules,
  type PodCapture,
  podAddresses,
  podOverrides,
  podRules,
  podTables,
  readAmbientPod,
  redirectRules,
} from '@cni/istio-rules'
import { CURRENT_VERSION, encodeError, isObject, toErrorDocument } from '@cni/types'
import { parsePacket } from '@cni/types/packet'
import { ambientFields, type Setting, sidecarFields, type Variants, variants } from './fields.ts'
import { sidecar, type TypicalPacket, typicalPackets, ztunnel } from './packets.ts'
import { addressesFor, type PodInput } from './pod-input.ts'
import { type Listing, listings, type OtherRules, type PodRules, saved } from './rules.ts'
import type { Settings } from './settings.ts'
import { type End, type PodProxy, type Rules, type Walk, walk } from './walk.ts'

/** A typical packet with its path through the pod's rules. */
export interface WalkedPacket extends TypicalPacket {
  readonly end: End
  /** Rules that the packet has matched, numbered as in the page's rule listings. */
  readonly hits: readonly string[]
  /** Number of rules with which the packet was compared. */
  readonly seen: number
}

/** The plugin's decision about the user's pod, with the reason and the rules. */
export interface PodAnswer {
  readonly kind: 'captured' | 'skipped' | 'refused'
  readonly pod: string
  /** Reason of the plugin's decision about the pod, as a sentence. */
  readonly why: string
  /** Annotation, label or member of the pod that has caused the plugin's decision, if one is known. */
  readonly because?: string
  /** JSON error document that the plugin would print on stdout. */
  readonly document?: string
  /** Lines that the plugin would log for the pod. */
  readonly log: readonly string[]
  readonly isExample: boolean
  /** Settings that the page found in the pod. A shared link needs them, because it omits environment variables. */
  readonly effective: Partial<Settings>
  readonly settings: readonly Setting[]
  readonly listings: readonly Listing[]
  /** Paths of typical packets through the pod's rules in the chosen back end. */
  readonly typical: readonly WalkedPacket[]
  readonly walk: Walk | { readonly problem: string }
}

/** Decides if the plugin redirects a pod, computes the pod's rules, and traces packets through the rules. */
export function answerPod(input: PodInput, settings: Settings): PodAnswer {
  const { pod, isExample } = input
  const log: string[] = []
  const name = `${pod.namespace}/${pod.name}`
  try {
    const decision = settings.mode === 'ambient' ? ambient(pod, settings, log) : inSidecar(pod, settings, log)
    const { kind, why, because, made, addresses, proxy, proxyUid } = decision
    const rules = rulesOf(made?.rules ?? noRules, settings)
    const shown = made === undefined ? [] : listings(made.rules, made.ipv6, made.others)
    const used = new Set(shown.flatMap(({ lines }) => lines.flatMap(({ origins }) => origins)))
    return {
      ...{ kind, pod: name, why, log, isExample, ...(because === undefined ? {} : { because }) },
      effective: isExample ? {} : (made?.effective ?? {}),
      settings: made?.settings.filter(({ id }) => used.has(id)) ?? [],
      listings: shown,
      typical: typicalPackets(addresses, settings, proxyUid).map((each) => walked(each, rules, proxy)),
      walk: walkOf(rules, settings.packet, addresses, proxy),
    }
  } catch (error) {
    const document = toErrorDocument(error)
    return {
      ...{ kind: 'refused', pod: name, why: document.msg, log, isExample, effective: {} },
      ...{ settings: [], listings: [], typical: [] },
      document: encodeError({ cniVersion: CURRENT_VERSION, ...document }),
      walk: { problem: 'The pod does not start, so it sends no packet.' },
    }
  }
}

// internal

interface Decided {
  readonly kind: 'captured' | 'skipped'
  readonly why: string
  readonly because?: string | undefined
  readonly addresses: readonly string[]
  readonly proxy: PodProxy
  readonly proxyUid: number
  readonly made?: Made
}

interface Made {
  readonly rules: PodRules
  readonly ipv6: boolean
  readonly others: OtherRules
  readonly settings: readonly Setting[]
  readonly effective: Partial<Settings>
}

const noRules: PodRules = { iptables: { chains: [], rules: [] }, nftables: { tables: [] } }

function inSidecar(pod: PodDocument, settings: Settings, log: string[]): Decided {
  const found = decidePod(pod, {
    settings: { excludeNamespaces: [], agentNamespace: '', ambientSelectors: [], ambientOptOut: false },
    addresses: addressesFor(settings),
    log: (level, message) => log.push(`${level}: ${message}`),
  })
  const { addresses } = found
  if (found.act === 'skip') {
    const because = becauseOf(found.reason)
    return { kind: 'skipped', why: found.reason, because, addresses, proxy: sidecar(undefined), proxyUid: 1337 }
  }
  const { config } = found
  const proxyUid = Number(config.proxyUIDs[0] ?? 1337)
  const rulesFor = (each: CaptureConfig) => ({ iptables: redirectRules(each), nftables: nativeRules(each) })
  const others = variants(config, sidecarFields)
  return {
    ...{ kind: 'captured', why: 'It has a sidecar, and nothing keeps the plugin from it.', addresses, proxyUid },
    proxy: sidecar(proxyUid),
    made: {
      ...madeOf(pod, config, rulesFor, others),
      effective: effectiveOf(settings, config.dns !== 'none', config.ipv6, addresses),
    },
  }
}

/** Decides if the plugin redirects a pod in an ambient mesh. The pod's namespace counts as labelled. */
function ambient(pod: PodDocument, settings: Settings, log: string[]): Decided {
  const { metadata, ...document } = pod.document
  const uid = { uid: '00000000-0000-4000-8000-000000000000', ...(isObject(metadata) ? metadata : {}) }
  const found = readAmbientPod({ ...document, metadata: { ...uid, namespace: pod.namespace, name: pod.name } })
  if (found === undefined) throw new Error('the pod has no name, or its uid is not one of Kubernetes')
  const long = ambientAnnotations.find(([key, most]) => most > 0 && (found.annotations[key]?.length ?? 0) > most)
  if (long !== undefined) throw new Error(`annotation ${long[0]} has more than ${long[1]} characters`)
  const addresses = podAddresses(addressesFor(settings) ?? found.addresses)
  const decision = decideEnrolment(
    found,
    { [MODE]: 'ambient' },
    { selectors, excludeNamespaces: [], systemNamespace: 'istio-system' },
  )
  const proxy = ztunnel
  if (!decision.enrolled) {
    const because = decision.reason === 'not-selected' ? `label ${MODE}` : becauseOf(decision.why)
    return { kind: 'skipped', why: decision.why, because, addresses, proxy, proxyUid: 0 }
  }
  const { bypassInbound, dnsCapture = true, virtualInterfaces, warnings } = podOverrides(found)
  log.push(...warnings.map((warning) => `warn: ${warning}`))
  const ipv6 = addresses.some((address) => address.includes(':'))
  const capture: PodCapture = { ipv6, dnsCapture, bypassInbound, virtualInterfaces, probeSource: defaultProbeSource }
  const rulesFor = (each: PodCapture) => ({ iptables: podRules(each), nftables: podTables(each) })
  const effective = effectiveOf(settings, dnsCapture, ipv6, addresses)
  const made = { ...madeOf(pod, capture, rulesFor, variants(capture, ambientFields)), effective }
  return { kind: 'captured', why: decision.why, addresses, proxy, proxyUid: 0, made }
}

const MODE = 'istio.io/dataplane-mode'

/** Istio's default selectors of ambient pods. They select by the mode label of a namespace or pod. */
const selectors = [
  {
    podSelector: { matchExpressions: [{ key: MODE, operator: 'NotIn', values: ['none'] }] },
    namespaceSelector: { matchLabels: { [MODE]: 'ambient' } },
  },
  { podSelector: { matchLabels: { [MODE]: 'ambient' } } },
] as const

function madeOf<Config extends { readonly ipv6: boolean }>(
  { document }: PodDocument,
  config: Config,
  rulesFor: (config: Config) => PodRules,
  { sample, whole, changed }: Variants<Config>,
): Omit<Made, 'effective'> {
  const { annotations } = isObject(document.metadata) ? document.metadata : {}
  const isSet = (from: string) => isObject(annotations) && Object.hasOwn(annotations, from)
  return {
    rules: rulesFor(config),
    ipv6: config.ipv6,
    others: {
      sample: rulesFor(sample),
      whole: whole.map((one) => ({ id: one.id, rules: rulesFor(one.config) })),
      changed: changed.map((one) => ({ id: one.id, rules: rulesFor(one.config) })),
    },
    settings: changed.map(({ id, field, value }) => {
      const { name, about, kind, from } = field
      return {
        id,
        name,
        about,
        kind,
        value,
        ...(from === undefined ? {} : { from }),
        isSet: from !== undefined && isSet(from),
      }
    }),
  }
}

/** Returns the settings that the pod determines. IP families are known only if the pod has addresses. */
function effectiveOf(settings: Settings, dns: boolean, ipv6: boolean, addresses: readonly string[]): Partial<Settings> {
  const both = addresses.some((address) => !address.includes(':')) ? 'dual' : 'ipv6'
  return {
    ...(settings.dns === 'pod' ? { dns: dns ? 'on' : 'off' } : {}),
    ...(settings.families === 'pod' && addresses.length > 0 ? { families: ipv6 ? both : 'ipv4' } : {}),
  }
}

function rulesOf({ iptables, nftables }: PodRules, { backend }: Settings): Rules {
  if (backend === 'nftables') return { kind: 'nftables', rules: nftables }
  // Caches the parsed iptables rules of each IP family, because several packets use them.
  const read = new Map<'ipv4' | 'ipv6', SavedTables>()
  return {
    kind: 'iptables',
    rules(family) {
      const found = read.get(family) ?? saved(iptables, family)
      read.set(family, found)
      return found
    },
  }
}

function walked(typical: TypicalPacket, rules: Rules, proxy: PodProxy): WalkedPacket {
  const { end, hits, tables } = walk(rules, completePacket(parsePacket(typical.packet)), proxy)
  const seen = tables.flatMap(({ visits }) => visits).reduce((sum, { steps }) => sum + steps.length, 0)
  return { ...typical, end, hits, seen }
}

function walkOf(rules: Rules, text: string, addresses: readonly string[], proxy: PodProxy): PodAnswer['walk'] {
  try {
    const packet = parsePacket(text)
    const local = packet.local ?? (addresses.length > 0 ? addresses : undefined)
    return walk(rules, completePacket(local === undefined ? packet : { ...packet, local }), proxy)
  } catch (error) {
    return { problem: error instanceof Error ? error.message : String(error) }
  }
}

/** Finds the annotation, label or member of the pod that a decision's reason text mentions. */
function becauseOf(reason: string): string | undefined {
  return causes.find(([part]) => reason.includes(part))?.[1]
}

const causes: readonly (readonly [part: string, because: string])[] = [
  ['sidecar annotation', 'annotation sidecar.istio.io/status'],
  ['inject-disabled', 'label or annotation sidecar.istio.io/inject'],
  ['interceptionMode NONE', 'annotation sidecar.istio.io/interceptionMode'],
  ['network of the host', 'spec.hostNetwork'],
  ['network of the node', 'spec.hostNetwork'],
  ['istio-init', 'init container istio-init'],
  ['DISABLE_ENVOY', 'variable DISABLE_ENVOY of istio-proxy'],
  ['istio-proxy container', 'container istio-proxy'],
  ['proxy type', 'args of istio-proxy'],
  ['has a sidecar', 'annotation sidecar.istio.io/status'],
  ['has ended', 'status.phase'],
]
