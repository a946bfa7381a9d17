import { type Packet, parsePacket } from '@cni/types/packet'
import type { Ruleset } from '../rules/model.ts'
import type { Hook } from '../wire/family.ts'
import { chainsAt, type Entered } from './hooks.ts'
import type { Trace, TraceOptions, TraceStep } from './trace-types.ts'
import { isLocal, routeOut, startTrace, stateOf, type TracedPacket, track } from './traced-packet.ts'
import { type Ending, walkChain } from './walk.ts'

/**
 * Traces a packet through a ruleset, without a kernel and without root. The verdict is `undecided` if a statement is
 * not modelled or a fact is missing. The options supply facts that a packet does not have.
 *
 * Assumptions:
 *
 * - There are no other tables, and no mark changes a route.
 * - Conntrack is active.
 * - A program listens on the port of each `tproxy` statement.
 * - The port that NAT chooses is free.
 *
 * A packet in the state `NEW` is the first packet of its connection. The trace does not apply NAT to later packets of a
 * connection. A packet from this machine to itself arrives on `lo`. Trace the arrival as a second packet.
 *
 * @example
 * ```ts
 * import { base, chain, explain, nftRuleset, trace } from '@cni/nftables/rules'
 *
 * const rules = nftRuleset('inet', { ex: { output: base('nat', 'output', -100), 'to-proxy': chain } }, (t) => [
 *   t.ex.on('output').skuid(1337).return(),
 *   t.ex.on('output').l4proto('tcp').jump('to-proxy'),
 *   t.ex.on('to-proxy').l4proto('tcp').redirect(15001),
 * ])
 * trace(rules, 'tcp 10.0.0.5:80 uid 1000').destination // { address: '127.0.0.1', port: 15001 }
 * export const text = explain(trace(rules, 'tcp 10.0.0.5:80 uid 1337'))
 * ```
 */
export function trace(rules: Ruleset, given: Packet | string, options: TraceOptions = {}): Trace {
  const traced = startTrace(typeof given === 'string' ? parsePacket(given) : given, options)
  const path: TraceStep[] = []
  const ending = walkHooks(rules, traced, path)
  return endOfTrace(traced, ending, path)
}

/** Priority of conntrack at each hook. In chains with a higher priority number, the packet has a connection. */
const CONNTRACK = -200

function walkHooks(rules: Ruleset, traced: TracedPacket, path: TraceStep[]): Ending {
  let hook: Hook | undefined = traced.hook
  while (hook !== undefined) {
    traced.hook = hook
    const before = traced.destination
    const ending = walkHook(chainsAt(hook, rules, traced.family), traced, path)
    if (ending.kind === 'end') return ending
    track(traced)
    const next = nextHook(hook, traced, before)
    if (typeof next === 'object') return next
    hook = next
  }
  return { kind: 'accept' }
}

function walkHook(chains: readonly Entered[], traced: TracedPacket, path: TraceStep[]): Ending {
  let isTranslated = false
  for (const { table, chain, base, priority } of chains) {
    if (priority > CONNTRACK) track(traced)
    const isNat = base.type === 'nat'
    if (isNat && (isTranslated || !isSeenByNat(traced))) continue
    const before = traced.rewritten ?? traced.source
    const ending = walkChain(chain, table, traced, path)
    if (ending.kind === 'end') return ending
    // Only the first NAT rule of a hook translates the packet, as in the kernel.
    if (isNat && (traced.rewritten ?? traced.source) !== before) isTranslated = true
  }
  return { kind: 'accept' }
}

/** True if the packet enters nat chains. A packet that arrives on `lo` entered nat chains when it was sent. */
function isSeenByNat(traced: TracedPacket): boolean {
  const { packet } = traced
  if (packet.in === 'lo') return false
  const state = stateOf(traced)
  // An ICMP error is related to a connection, but does not begin a new one.
  const reports = /icmp/i.test(packet.protocol) || ['1', '58'].includes(packet.protocol)
  return state === 'NEW' || (state === 'RELATED' && !reports)
}

/** Chooses the next hook of the traced packet, and sets the packet's interfaces at that hook. */
function nextHook(hook: Hook, traced: TracedPacket, before: string | undefined): Hook | undefined | Ending {
  const { packet, destination } = traced
  const isMoved = destination !== before || destination === undefined
  switch (hook) {
    case 'prerouting': {
      // Keeps a packet local after `tproxy` or `redirect`, even with an unknown address.
      const isTaken = traced.tproxy !== undefined || destination === undefined
      const isHere = isTaken || (isMoved ? isLocal(destination, traced) : traced.from === 'incoming')
      if (isHere === undefined) {
        return { kind: 'end', verdict: 'undecided', reason: `whether ${destination} is of this machine is not known` }
      }
      if (!isHere) traced.out = isMoved ? undefined : packet.out
      return isHere ? 'input' : 'forward'
    }
    case 'forward':
      // The incoming interface is unknown, because kernels differ in the interface that rules see in postrouting.
      traced.in = undefined
      return 'postrouting'
    case 'output':
      traced.in = undefined
      // The kernel routes a packet with a new destination again after the last chain of the output hook.
      if (isMoved) traced.out = routeOut(traced)
      return 'postrouting'
    default:
      return undefined
  }
}

function endOfTrace(traced: TracedPacket, ending: Ending, path: readonly TraceStep[]): Trace {
  const { packet, destination, dport, source, rewritten, tproxy, mark, connmark, zone } = traced
  const [verdict, reason] = ending.kind === 'accept' ? (['accept', ''] as const) : [ending.verdict, ending.reason]
  return {
    ...{ packet, verdict, reason, source, path },
    destination: {
      ...(destination === undefined ? {} : { address: destination }),
      ...(dport === undefined ? {} : { port: dport }),
    },
    ...(rewritten === undefined ? {} : { rewritten }),
    ...(tproxy === undefined ? {} : { tproxy }),
    ...(mark === undefined ? {} : { mark }),
    ...(connmark === undefined ? {} : { connmark }),
    ...(zone === undefined ? {} : { zone }),
  }
}
