import type { Packet } from '@cni/types/packet'
import { parsePacket } from '@cni/types/packet'
import { parseSave, type SavedTables } from '../parse/saved-tables.ts'
import type { Ruleset, Table } from '../rules/model.ts'
import { restoreText } from '../text/restore-text.ts'
import type { TraceOptions } from './options.ts'
import { type Flight, type Hook, isLocal, routeOut, stateOf, takeOff } from './state.ts'
import { type Ending, type TraceStep, walkTable } from './walk.ts'

/** Where a packet went and what became of it. */
export interface Trace {
  readonly packet: Packet
  /** `undecided`: it came to something that is not modelled or not known; `reason` names it. */
  readonly verdict: 'ACCEPT' | 'DROP' | 'REJECT' | 'undecided'
  /** The rule or policy that decided; empty when all hooks let it pass. */
  readonly reason: string
  /** Where it is sent in the end; an address that is not known is missing. */
  readonly destination: { readonly address?: string; readonly port?: number }
  /** From where others see it come; what NAT left to the kernel's choice is missing. */
  readonly source: { readonly address?: string; readonly port?: number }
  /** The target that rewrote its destination. */
  readonly rewritten?: 'REDIRECT' | 'DNAT'
  /** The local proxy that gets it by TPROXY, its destination unchanged. */
  readonly tproxy?: { readonly address?: string; readonly port: number }
  /** Its mark in the end; missing when not known. */
  readonly mark?: number
  /** The mark of its connection. */
  readonly connmark?: number
  /** The conntrack zone that a rule gave it. */
  readonly zone?: number
  /** Every rule that it came to, in order. */
  readonly path: readonly TraceStep[]
}

/**
 * Sends a packet through a ruleset, or through what `parseSave` read of either back end, without a kernel and without
 * root. Pure. What is not modelled or not given makes the verdict `undecided`; nothing is guessed; `options` answer what
 * is not in a packet: members of sets, limits, conditions of matches that are not modelled.
 *
 * Assumed: built-in chains of a ruleset have policy ACCEPT, a TPROXY has its listener, a mark changes no route, NAT finds
 * the port free that it wants. `NEW` is the first packet of its connection. A later one of a connection that NAT changed
 * is not rewritten here: the kernel does that without asking a rule. Only one pass: what is sent to this machine itself
 * comes in again on `lo`, a second packet to trace.
 *
 * @example
 * ```ts
 * import { explain, trace } from '@cni/iptables/trace'
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
  const packet = typeof given === 'string' ? parsePacket(given) : given
  const flight = takeOff(packet, options)
  const path: TraceStep[] = []
  const snapshot = 'tables' in rules ? rules : parseSave(restoreText(rules, flight.family), flight.family)
  const ending: Ending =
    snapshot.family === flight.family
      ? pass(snapshot, flight, path)
      : { kind: 'end', verdict: 'undecided', reason: `the rules are of ${snapshot.family}, the packet is not` }
  return result(flight, ending, path)
}

// internal

/** Tables by hook, in the order of their priorities; conntrack sees a packet after raw. */
const order: Readonly<Record<Hook, readonly Table[]>> = {
  PREROUTING: ['raw', 'mangle', 'nat'],
  INPUT: ['mangle', 'filter', 'nat', 'security'],
  FORWARD: ['mangle', 'filter', 'security'],
  OUTPUT: ['raw', 'mangle', 'nat', 'filter', 'security'],
  POSTROUTING: ['mangle', 'nat'],
}

/** iptables-nft registers security at 150, the kernel's own table is at 50; nat is between them. */
const legacyInput: readonly Table[] = ['mangle', 'filter', 'security', 'nat']

function pass(snapshot: SavedTables, flight: Flight, path: TraceStep[]): Ending {
  let hook: Hook | undefined = flight.hook
  while (hook !== undefined) {
    flight.hook = hook
    const before = flight.dst
    for (const table of hook === 'INPUT' && flight.options.backend === 'legacy' ? legacyInput : order[hook]) {
      flight.table = table
      if (table !== 'raw' && flight.tracking !== 'untracked') flight.tracking = trackedState(flight)
      const chains = snapshot.tables.get(table)
      if (chains === undefined || (table === 'nat' && !natApplies(flight))) continue
      const ending = walkTable(chains, flight, path)
      if (ending.kind === 'end') return ending
    }
    const next = route(hook, flight, before)
    if (typeof next === 'object') return next
    hook = next
  }
  return { kind: 'accept' }
}

const trackedState = ({ packet }: Flight) => (packet.state === 'UNTRACKED' ? 'untracked' : 'done')

/** nat is asked once per connection; a packet on lo was asked on its way out. */
function natApplies(flight: Flight): boolean {
  const { packet } = flight
  if (packet.in === 'lo') return false
  const state = stateOf(flight)
  // A packet of ICMP that is related to a connection belongs to that.
  return (
    state === 'NEW' || (state === 'RELATED' && !/icmp/i.test(packet.protocol) && !['1', '58'].includes(packet.protocol))
  )
}

/** The next hook, with the interfaces that a packet has there. */
function route(hook: Hook, flight: Flight, before: string | undefined): Hook | undefined | Ending {
  const { packet } = flight
  const moved = flight.dst !== before || flight.dst === undefined
  switch (hook) {
    case 'PREROUTING': {
      // With TPROXY it is for here, and so is what REDIRECT sent to this machine's own address.
      const redirected = flight.dst === undefined
      const here =
        flight.tproxy !== undefined || redirected || (moved ? isLocal(flight.dst, flight) : flight.from === 'incoming')
      if (here === undefined) {
        return { kind: 'end', verdict: 'undecided', reason: `whether ${flight.dst} is of this machine is not known` }
      }
      if (!here) flight.out = moved ? undefined : packet.out
      return here ? 'INPUT' : 'FORWARD'
    }
    case 'FORWARD':
      // Which interface POSTROUTING shows as the incoming one differs between kernels.
      flight.in = undefined
      return 'POSTROUTING'
    case 'OUTPUT':
      flight.in = undefined
      // Hooks see the interface of before until the last table of OUTPUT is through.
      if (moved) flight.out = routeOut(flight)
      return 'POSTROUTING'
    default:
      return undefined
  }
}

function result(flight: Flight, ending: Ending, path: readonly TraceStep[]): Trace {
  const { packet, dst, dport, tproxy, mark, connmark, zone, rewritten, source } = flight
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
