import { explain, type SavedTables, trace } from '@cni/iptables/rules'
import { explain as explainNft, type Ruleset as NftRuleset, trace as traceNft } from '@cni/nftables/rules'
import { directionOf, endpointText, type Packet, packetText } from '@cni/types/packet'

/** End of a packet's path, such as the proxy or the application. */
export interface End {
  readonly kind: 'proxy' | 'application' | 'out' | 'dropped' | 'undecided'
  /** Short title for the end of the packet's path, such as "the proxy, port 15001". */
  readonly title: string
  /** One sentence that describes the end of the packet's path. */
  readonly text: string
}

/** A rule with which the traced packet was compared, and the result of the comparison. */
export interface Step {
  readonly rule: string
  readonly index: number
  readonly matched: boolean | undefined
  readonly effect: string | undefined
}

/** Consecutive rules of one chain with which the traced packet was compared. */
export interface ChainVisit {
  readonly chain: string
  /** Number of jumps from the base chain to this chain. */
  readonly depth: number
  readonly steps: readonly Step[]
}

/** A table on the packet's path, with the chains that the packet has passed. */
export interface TableVisit {
  readonly place: string
  readonly visits: readonly ChainVisit[]
}

/** Path of a packet through a pod's rules. */
export interface Walk {
  readonly packet: string
  readonly verdict: string
  readonly sender: string
  readonly tables: readonly TableVisit[]
  readonly end: End
  /** Path of the packet as text, as `istio-redirect trace` prints it. */
  readonly text: string
  /** Rules that the packet has matched, numbered as in the page's rule listings: `nat ISTIO_OUTPUT 3`. */
  readonly hits: readonly string[]
}

/** Rules through which a packet is traced, in the form of one back end: iptables or nftables. */
export type Rules =
  | { readonly kind: 'iptables'; readonly rules: (family: 'ipv4' | 'ipv6') => SavedTables }
  | { readonly kind: 'nftables'; readonly rules: NftRuleset }

/** Traces a packet through rules, and determines the end of its path, such as a port of the proxy. */
export function walk(rules: Rules, packet: Packet, proxy: PodProxy): Walk {
  const way = rules.kind === 'nftables' ? nftWay(rules.rules, packet) : iptablesWay(rules, packet)
  return {
    packet: packetText(packet),
    verdict: way.verdict,
    sender: senderOf(packet, proxy),
    tables: tablesOf(way.path),
    end: endOf(way, packet, proxy),
    text: way.text,
    hits: way.path.flatMap(({ table, chain, index, matched }) =>
      matched === true ? [`${table} ${chain} ${index}`] : [],
    ),
  }
}

/** Proxy of a pod, with its name and port descriptions for the page. */
export interface PodProxy {
  readonly name: string
  readonly uid: number | undefined
  readonly mark: number | undefined
  /** Description of each port on which the proxy listens. */
  readonly ports: Readonly<Record<number, string>>
}

// internal

interface Way {
  readonly verdict: string
  readonly reason: string
  readonly destination: { readonly address?: string; readonly port?: number }
  readonly rewritten: string | undefined
  readonly tproxy: { readonly port: number } | undefined
  readonly text: string
  readonly path: readonly WayStep[]
}

interface WayStep extends Step {
  readonly place: string
  readonly table: string
  readonly chain: string
}

function iptablesWay({ rules }: Extract<Rules, { kind: 'iptables' }>, packet: Packet): Way {
  const found = trace(rules(packet.dst.includes(':') ? 'ipv6' : 'ipv4'), packet)
  return {
    ...{ verdict: found.verdict, reason: found.reason, destination: found.destination },
    ...{ rewritten: found.rewritten, tproxy: found.tproxy, text: explain(found) },
    path: found.path.map(({ hook, table, chain, index, rule, matched, effect }) => ({
      ...{ place: `${table} ${hook}`, table, chain, index, rule, matched, effect },
    })),
  }
}

function nftWay(rules: NftRuleset, packet: Packet): Way {
  const found = traceNft(rules, packet)
  return {
    ...{ verdict: found.verdict, reason: found.reason, destination: found.destination },
    ...{ rewritten: found.rewritten, tproxy: found.tproxy, text: explainNft(found) },
    path: found.path.map(({ hook, family, table, chain, index, rule, matched, effect }) => ({
      ...{ place: `${table} ${hook}`, table: `${family} ${table}`, chain, index, rule, matched, effect },
    })),
  }
}

function tablesOf(path: readonly WayStep[]): TableVisit[] {
  const tables: { place: string; visits: { chain: string; depth: number; steps: Step[] }[]; stack: string[] }[] = []
  for (const { place, chain, rule, index, matched, effect } of path) {
    let table = tables.at(-1)
    if (table?.place !== place) {
      table = { place, visits: [], stack: [] }
      tables.push(table)
    }
    const known = table.stack.indexOf(chain)
    if (known === -1) table.stack.push(chain)
    else table.stack.length = known + 1
    const step = { rule, index, matched, effect }
    const last = table.visits.at(-1)
    if (last?.chain === chain && last.depth === table.stack.length - 1) last.steps.push(step)
    else table.visits.push({ chain, depth: table.stack.length - 1, steps: [step] })
  }
  return tables.map(({ place, visits }) => ({ place, visits }))
}

function senderOf(packet: Packet, proxy: PodProxy): string {
  if (directionOf(packet) !== 'local') return packet.src === undefined ? 'Someone outside' : `From ${packet.src}`
  if (isProxys(packet, proxy)) return proxy.name
  return packet.uid === undefined ? 'A process here' : `A process of user ${packet.uid}`
}

const isProxys = ({ uid, mark }: Packet, proxy: PodProxy): boolean =>
  (proxy.uid !== undefined && uid === proxy.uid) || (proxy.mark !== undefined && mark === proxy.mark)

function endOf(way: Way, packet: Packet, proxy: PodProxy): End {
  const verdict = way.verdict.toLowerCase()
  if (verdict === 'undecided') {
    return {
      kind: 'undecided',
      title: 'not decided',
      text: `The packet or the rules do not say enough: ${way.reason}.`,
    }
  }
  if (verdict !== 'accept')
    return { kind: 'dropped', title: 'dropped', text: `A rule drops the packet: ${way.reason}.` }
  const port = way.tproxy?.port ?? (way.rewritten === undefined ? undefined : way.destination.port)
  if (way.tproxy !== undefined || (way.rewritten !== undefined && isHere(way.destination.address, packet))) {
    const role = port === undefined ? undefined : proxy.ports[port]
    const how = way.tproxy === undefined ? 'redirected' : 'handed over with its destination intact'
    return {
      kind: 'proxy',
      title: `${role ?? 'a process here'}, port ${port ?? '?'}`,
      text: `Captured: the packet is ${how}.`,
    }
  }
  const target = endpointText(way.destination.address, way.destination.port)
  const moved = way.rewritten === undefined ? '' : ' Its destination was rewritten.'
  const direction = directionOf(packet)
  if (direction === 'forwarded' || (direction === 'local' && !isHere(packet.dst, packet))) {
    const why = isProxys(packet, proxy) ? `It is what ${lower(proxy.name)} sends itself.` : 'No rule captures it.'
    return { kind: 'out', title: `out, to ${target}`, text: `${why}${moved}` }
  }
  const role = packet.dport === undefined ? undefined : proxy.ports[packet.dport]
  if (role !== undefined) {
    return {
      kind: 'proxy',
      title: `${role}, port ${packet.dport}`,
      text: 'Not redirected: it is sent to the proxy’s own port.',
    }
  }
  return { kind: 'application', title: `the application, ${target}`, text: `No rule captures it.${moved}` }
}

const lower = (text: string) => text.charAt(0).toLowerCase() + text.slice(1)

function isHere(address: string | undefined, { local, in: entered, out, dst }: Packet): boolean {
  if (address === undefined) return true
  if (address === '::1' || address.startsWith('127.') || local?.includes(address) === true) return true
  return (entered !== undefined && out === undefined && address === dst) || out === 'lo'
}
