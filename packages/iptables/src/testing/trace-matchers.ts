import type { Snapshot } from '../parse/snapshot.ts'
import type { Ruleset } from '../rules/model.ts'
import { explain } from '../trace/explain.ts'
import type { Packet } from '../trace/packet.ts'
import { type Trace, trace } from '../trace/trace.ts'

/** What a matcher of `expect.extend` returns. */
export interface MatcherResult {
  readonly pass: boolean
  readonly message: () => string
}

/** The methods that {@link traceMatchers} adds to `expect(rules)`. */
export interface TraceMatchers<R = unknown> {
  /** A rule sends the packet to this port of this machine. */
  toRedirect(packet: Packet | string, port: number): R
  /** TPROXY hands it to this port. */
  toTproxy(packet: Packet | string, port: number): R
  /** It passes, its destination as it was. */
  toPass(packet: Packet | string): R
  /** DROP or REJECT. */
  toBlock(packet: Packet | string): R
}

/**
 * Matchers for `expect.extend` of vitest and jest. A trace that is undecided fails, with `.not` too.
 *
 * @example
 * ```ts
 * import { type TraceMatchers, traceMatchers } from '@cni/iptables/testing'
 *
 * // declare module 'vitest' { interface Matchers<R extends void | Promise<void>, T> extends TraceMatchers<R> {} }
 * // expect.extend(traceMatchers)
 * // expect(rules).toRedirect('tcp 10.0.0.5:80 uid 1000', 15001)
 * export const matchers: Record<keyof TraceMatchers, unknown> = traceMatchers
 * ```
 */
export const traceMatchers = {
  toRedirect(this: unknown, rules: Ruleset | Snapshot, packet: Packet | string, port: number): MatcherResult {
    return judge(this, rules, packet, `be redirected to port ${port}`, (found) => {
      return found.verdict === 'ACCEPT' && found.rewritten === 'REDIRECT' && found.destination.port === port
    })
  },
  toTproxy(this: unknown, rules: Ruleset | Snapshot, packet: Packet | string, port: number): MatcherResult {
    return judge(this, rules, packet, `go to the proxy on port ${port}`, (found) => {
      return found.verdict === 'ACCEPT' && found.tproxy?.port === port
    })
  },
  toPass(this: unknown, rules: Ruleset | Snapshot, packet: Packet | string): MatcherResult {
    return judge(this, rules, packet, 'pass as it is', (found) => {
      return found.verdict === 'ACCEPT' && found.rewritten === undefined && found.tproxy === undefined
    })
  },
  toBlock(this: unknown, rules: Ruleset | Snapshot, packet: Packet | string): MatcherResult {
    return judge(this, rules, packet, 'be blocked', ({ verdict }) => verdict === 'DROP' || verdict === 'REJECT')
  },
}

// internal

function judge(
  state: unknown,
  rules: Ruleset | Snapshot,
  packet: Packet | string,
  what: string,
  holds: (found: Trace) => boolean,
): MatcherResult {
  const found = trace(rules, packet)
  const negated = typeof state === 'object' && state !== null && 'isNot' in state && state.isNot === true
  const pass = found.verdict === 'undecided' ? negated : holds(found)
  return { pass, message: () => `expected the packet ${negated ? 'not ' : ''}to ${what}\n\n${explain(found)}` }
}
