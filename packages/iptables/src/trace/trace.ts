import { type Packet, parsePacket } from '@cni/types/packet'
import { parseSave, type SavedTables } from '../parse/saved-tables.ts'
import type { BuiltinChain, Ruleset, Table } from '../rules/model.ts'
import { restoreText } from '../text/restore-text.ts'
import type { TraceOptions } from './options.ts'
import type { Trace, TraceStep } from './trace-types.ts'
import { isLocal, routeOut, startTrace, stateOf, type TracedPacket } from './traced-packet.ts'
import { type Ending, walkTable } from './walk.ts'

/**
 * Traces a packet through a ruleset, or through rules that `parseSave` read. Needs no kernel and no root. Pure. Unknown
 * facts and unmodelled conditions make the verdict `undecided`. `options` provide facts that the packet does not
 * contain.
 *
 * Assumptions:
 * - Built-in chains of a ruleset have the policy ACCEPT.
 * - A TPROXY has a listener.
 * - A mark changes no route.
 * - The port that NAT needs is free.
 *
 * `NEW` is the first packet of its connection. For later packets of a connection, the trace does not apply NAT. Trace a
 * packet to the machine itself again, as a packet on `lo`.
 *
 * @example
 * ```ts
 * import { explain, trace } from '@cni/iptables/rules'
 * import { ruleset } from '@cni/iptables'
 *
 * const rules = ruleset({ nat: ['EX'] }, (t) => [
 *   t.nat.on('OUTPUT').proto('tcp').jump('EX'),
 *   t.nat.on('EX').not.uid(1337).proto('tcp').redirect(15001),
 * ])
 * trace(rules, 'tcp 10.0.0.5:80 uid 1000').destination // { address: '127.0.0.1', port: 15001 }
 * export const text = explain(trace(rules, 'tcp 10.0.0.5:80 uid 1337'))
 * ```
 */
export function trace(rules: Ruleset | SavedTables, given: Packet | string, options: TraceOptions = {}): Trace {
  const traced = startTrace(typeof given === 'string' ? parsePacket(given) : given, options)
  const path: TraceStep[] = []
  const saved = 'tables' in rules ? rules : parseSave(restoreText(rules, traced.family), traced.family)
  const ending: Ending =
    saved.family === traced.family
      ? walkHooks(saved, traced, path)
      : { kind: 'end', verdict: 'undecided', reason: `the rules are of ${saved.family}, the packet is not` }
  return endOfTrace(traced, ending, path)
}

// internal

/** Tables of each hook in the order in which the kernel calls them. */
const tablesOf: Readonly<Record<BuiltinChain, readonly Table[]>> = {
  PREROUTING: ['raw', 'mangle', 'nat'],
  INPUT: ['mangle', 'filter', 'nat', 'security'],
  FORWARD: ['mangle', 'filter', 'security'],
  OUTPUT: ['raw', 'mangle', 'nat', 'filter', 'security'],
  POSTROUTING: ['mangle', 'nat'],
}

/** Order of tables in INPUT: iptables-legacy runs security before nat, iptables-nft runs nat first. */
const legacyInputTables: readonly Table[] = ['mangle', 'filter', 'security', 'nat']

function walkHooks(saved: SavedTables, traced: TracedPacket, path: TraceStep[]): Ending {
  let hook: BuiltinChain | undefined = traced.hook
  while (hook !== undefined) {
    traced.hook = hook
    const before = traced.dst
    const legacyInput = hook === 'INPUT' && traced.options.backend === 'iptables-legacy'
    for (const table of legacyInput ? legacyInputTables : tablesOf[hook]) {
      traced.table = table
      if (table !== 'raw' && traced.tracking !== 'untracked') traced.tracking = trackedState(traced)
      const chains = saved.tables.get(table)
      if (chains === undefined || (table === 'nat' && !isSeenByNat(traced))) continue
      const ending = walkTable(chains, traced, path)
      if (ending.kind === 'end') return ending
    }
    const next = nextHook(hook, traced, before)
    if (typeof next === 'object') return next
    hook = next
  }
  return { kind: 'accept' }
}

const trackedState = ({ packet }: TracedPacket) => (packet.state === 'UNTRACKED' ? 'untracked' : 'done')

/** True if the packet passes the nat table, which sees only a connection's first packet. */
function isSeenByNat(traced: TracedPacket): boolean {
  const { packet } = traced
  if (packet.in === 'lo') return false
  const state = stateOf(traced)
  // A related ICMP error skips the nat table, because the error belongs to an existing connection.
  return (
    state === 'NEW' || (state === 'RELATED' && !/icmp/i.test(packet.protocol) && !['1', '58'].includes(packet.protocol))
  )
}

/** Moves the traced packet to its next hook and sets its interfaces at that hook. */
function nextHook(
  hook: BuiltinChain,
  traced: TracedPacket,
  before: string | undefined,
): BuiltinChain | undefined | Ending {
  const { packet } = traced
  const moved = traced.dst !== before || traced.dst === undefined
  switch (hook) {
    case 'PREROUTING': {
      // A packet is delivered locally after TPROXY or REDIRECT. For REDIRECT, the new destination address may be
      // unknown.
      const redirected = traced.dst === undefined
      const here =
        traced.tproxy !== undefined || redirected || (moved ? isLocal(traced.dst, traced) : traced.from === 'incoming')
      if (here === undefined) {
        return { kind: 'end', verdict: 'undecided', reason: `whether ${traced.dst} is of this machine is not known` }
      }
      if (!here) traced.out = moved ? undefined : packet.out
      return here ? 'INPUT' : 'FORWARD'
    }
    case 'FORWARD':
      // Leaves the incoming interface in POSTROUTING unknown, because it differs between kernels.
      traced.in = undefined
      return 'POSTROUTING'
    case 'OUTPUT':
      traced.in = undefined
      // The kernel routes a rewritten packet again only after the last table of OUTPUT.
      if (moved) traced.out = routeOut(traced)
      return 'POSTROUTING'
    default:
      return undefined
  }
}

function endOfTrace(traced: TracedPacket, ending: Ending, path: readonly TraceStep[]): Trace {
  const { packet, dst, dport, tproxy, mark, connmark, zone, rewritten, source } = traced
  const [verdict, reason] = ending.kind === 'accept' ? (['ACCEPT', ''] as const) : [ending.verdict, ending.reason]
  return {
    packet,
    verdict,
    reason,
    destination: { ...(dst === undefined ? {} : { address: dst }), ...(dport === undefined ? {} : { port: dport }) },
    source,
    ...(rewritten === undefined ? {} : { rewritten }),
    ...(tproxy === undefined ? {} : { tproxy }),
    ...(mark === undefined ? {} : { mark }),
    ...(connmark === undefined ? {} : { connmark }),
    ...(zone === undefined ? {} : { zone }),
    path,
  }
}
