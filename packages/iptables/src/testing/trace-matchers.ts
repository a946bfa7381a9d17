import type { Packet } from '@cni/types/packet'
import type { SavedTables } from '../parse/saved-tables.ts'
import type { Ruleset } from '../rules/model.ts'
import { explain } from '../trace/explain.ts'
import type { TraceOptions } from '../trace/options.ts'
import { trace } from '../trace/trace.ts'
import type { Trace } from '../trace/trace-types.ts'

/** Methods that {@link traceMatchers} adds to `expect(rules)`. Each traces a packet through the rules. */
export interface TraceMatchers<R = unknown> {
  /** Expects that a rule redirects the packet to the local port `port`. */
  toRedirect(packet: Packet | string, port: number, options?: TraceOptions): R
  /** Expects that a TPROXY rule delivers the packet to the local proxy on this port. */
  toTproxy(packet: Packet | string, port: number, options?: TraceOptions): R
  /** Expects that the rules accept the packet with an unchanged destination. */
  toPass(packet: Packet | string, options?: TraceOptions): R
  /**
   * Expects that the rules drop or reject the packet. `.not.toBlock` expects that the packet is accepted, with any
   * destination.
   */
  toBlock(
    packet: Packet | string,
    options?: TraceOptions & {
      /** Expected verdict for the packet: dropped or rejected. Default: either of them. */
      readonly by?: 'DROP' | 'REJECT'
    },
  ): R
  /** Expects that the packet passes through a chain of this name. */
  toVisit(packet: Packet | string, chain: string, options?: TraceOptions): R
}

/**
 * Matchers for `expect.extend` of vitest and jest. A failure shows the packet's path. An undecided trace fails, also
 * with `.not`. With other test runners, call a matcher as a function.
 *
 * @example
 * ```ts
 * import assert from 'node:assert/strict'
 * import { ruleset } from '@cni/iptables'
 * import { type TraceMatchers, traceMatchers } from '@cni/iptables/testing'
 *
 * // vitest: declare global { namespace Chai { interface Assertion extends TraceMatchers {} } }
 * //         expect.extend(traceMatchers)
 * //         expect(rules).toRedirect('tcp 10.0.0.5:80', 15001)
 * const rules = ruleset({ nat: [] }, (t) => [t.nat.on('OUTPUT').proto('tcp').redirect(15001)])
 * const { pass, message } = traceMatchers.toRedirect(rules, 'tcp 10.0.0.5:80', 15001)
 * assert.ok(pass, message())
 * export type Matchers = TraceMatchers
 * ```
 */
export const traceMatchers = {
  toRedirect(
    this: unknown,
    rules: Ruleset | SavedTables,
    packet: Packet | string,
    port: number,
    options?: TraceOptions,
  ): { pass: boolean; message: () => string } {
    return judge(this, { rules, packet, options }, `be redirected to port ${port}`, (found) => {
      return found.verdict === 'ACCEPT' && found.rewritten === 'REDIRECT' && found.destination.port === port
    })
  },
  toTproxy(
    this: unknown,
    rules: Ruleset | SavedTables,
    packet: Packet | string,
    port: number,
    options?: TraceOptions,
  ): { pass: boolean; message: () => string } {
    return judge(this, { rules, packet, options }, `go to the proxy on port ${port}`, (found) => {
      return found.verdict === 'ACCEPT' && found.tproxy?.port === port
    })
  },
  toPass(
    this: unknown,
    rules: Ruleset | SavedTables,
    packet: Packet | string,
    options?: TraceOptions,
  ): { pass: boolean; message: () => string } {
    return judge(this, { rules, packet, options }, 'pass as it is', (found) => {
      return found.verdict === 'ACCEPT' && found.rewritten === undefined && found.tproxy === undefined
    })
  },
  toBlock(
    this: unknown,
    rules: Ruleset | SavedTables,
    packet: Packet | string,
    { by, ...options }: TraceOptions & { readonly by?: 'DROP' | 'REJECT' } = {},
  ): { pass: boolean; message: () => string } {
    return judge(
      this,
      { rules, packet, options },
      `be blocked${by === undefined ? '' : ` by ${by}`}`,
      ({ verdict }) => {
        return by === undefined ? verdict !== 'ACCEPT' : verdict === by
      },
    )
  },
  toVisit(
    this: unknown,
    rules: Ruleset | SavedTables,
    packet: Packet | string,
    chain: string,
    options?: TraceOptions,
  ): { pass: boolean; message: () => string } {
    return judge(this, { rules, packet, options }, `come to ${chain}`, ({ path }) => {
      return path.some((step) => step.chain === chain)
    })
  },
}

// internal

interface Question {
  readonly rules: Ruleset | SavedTables
  readonly packet: Packet | string
  readonly options: TraceOptions | undefined
}

function judge(
  state: unknown,
  { rules, packet, options = {} }: Question,
  what: string,
  holds: (found: Trace) => boolean,
): { pass: boolean; message: () => string } {
  const found = trace(rules, packet, options)
  const negated = typeof state === 'object' && state !== null && 'isNot' in state && state.isNot === true
  const open = found.verdict === 'undecided'
  const pass = open ? negated : holds(found)
  const wish = `expected the packet ${negated ? 'not ' : ''}to ${what}${open ? ', but that is not decided' : ''}`
  return { pass, message: () => `${wish}\n\n${explain(found)}` }
}
