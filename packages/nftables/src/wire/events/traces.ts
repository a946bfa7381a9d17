import type { NetnsTarget } from '@cni/netns'
import { events, type Message, type NetlinkSocket } from '@cni/netns/netlink'
import type { Expression } from '../expressions/expression-types.ts'
import { familyWord } from '../family.ts'
import { bytes, i32, n32, n64, name } from '../fields/codec.ts'
import { decodeFields, may, must, nested } from '../fields/fields.ts'
import { type Verdict, verdictOf } from '../fields/verdict.ts'
import { messageOfType, NFGENMSG, NFT_MSG_TRACE } from '../messages.ts'
import { openGroup } from '../open-netfilter.ts'
import type { ChainName } from '../specs.ts'

/**
 * Step of a packet trace: a rule, a chain's end, or a policy. The step `lost` means that steps are missing, because the
 * socket was full.
 */
export type Trace =
  | (ChainName & {
      /** Kind of step: a matched rule, a chain's end, or a policy. The end of a chain has no verdict. */
      readonly step: 'rule' | 'end' | 'policy'
      /** Handle of the rule that the packet matched. */
      readonly handle?: bigint
      /**
       * Verdict of the trace step on the packet. The verdict `drop` includes rejections. The verdict `queue` means that
       * a userspace program decides. The verdict `stolen` means that the kernel took the packet. The value is
       * `undefined` for an unknown verdict number.
       */
      readonly verdict: Verdict | { readonly verdict: 'queue' | 'repeat' | 'stolen' } | undefined
      /** Id of the traced packet, equal in all of its steps. The kernel may use an id again after a while. */
      readonly id: number
      /** Properties of the traced packet, reported with the packet's first step in each base chain. */
      readonly packet?: {
        /** Protocol family of the packet (`NFPROTO_…`): 2 IPv4, 10 IPv6, 7 a bridge's frame. */
        readonly protocol?: number
        /** Indexes of the packet's incoming and outgoing interface, as far as known. */
        readonly iif?: number
        readonly oif?: number
        /** Mark of the packet. The kernel does not report 0. */
        readonly mark?: number
        /** First bytes of the packet's headers: link layer, network layer, transport layer. */
        readonly link?: Uint8Array
        readonly network?: Uint8Array
        readonly transport?: Uint8Array
      }
    })
  | { readonly step: 'lost' }

/** Trace step that reports a packet. The step `lost` is excluded. */
export type TraceStep = Exclude<Trace, { readonly step: 'lost' }>
type TraceVerdict = NonNullable<TraceStep['verdict']>
export type TracedPacket = NonNullable<TraceStep['packet']>

/** Expressions that turn on packet tracing. Use them in a base chain at priority -350. */
export const traceOn: readonly Expression[] = [
  { name: 'immediate', dreg: 1, data: Uint8Array.of(1) },
  { name: 'meta', key: 'nftrace', sreg: 1 },
]

const NFNLGRP_NFTRACE = 9

/**
 * Opens a netlink socket that receives packet traces, for {@link traces}. Throws `NftError`: `DENIED`, `UNSUPPORTED`.
 */
export function openTraces(target: NetnsTarget, options: { readonly receiveBuffer?: number } = {}): NetlinkSocket {
  return openGroup(target, NFNLGRP_NFTRACE, options)
}

/**
 * Yields the steps of traced packets. Throws `NetnsError('PROTOCOL')` for invalid messages.
 *
 * @example
 * const chain = { family: 'inet', table: 'trace', chain: 'prerouting' } as const
 * const base = { type: 'filter', hook: 'prerouting', priority: -350 } as const
 * using socket = openTraces(pod)
 * nft.commit(new Batch().addTable(chain).addChain({ ...chain, base }).addRule({ ...chain, expressions: traceOn }))
 * for await (const trace of traces(socket, { signal })) if (trace.step === 'rule') passed.push(trace.handle)
 */
export async function* traces(
  socket: NetlinkSocket,
  options?: Parameters<typeof events>[1],
): AsyncGenerator<Trace, void, void> {
  for await (const { messages, lost } of events(socket, options)) {
    if (lost) yield { step: 'lost' }
    for (const message of messages) {
      const trace = traceIn(message)
      if (trace !== undefined) yield trace
    }
  }
}

const NFT_TRACETYPE_POLICY = 1

const fields = {
  table: must(1, name),
  chain: must(2, name),
  handle: may(3, n64),
  type: must(4, n32),
  verdict: may(5, nested({ code: must(1, i32), chain: may(2, name) })),
  id: must(6, n32),
  link: may(7, bytes),
  network: may(8, bytes),
  transport: may(9, bytes),
  iif: may(10, n32),
  oif: may(12, n32),
  mark: may(14, n32),
  protocol: may(15, n32),
  policy: may(16, n32),
}

function traceIn({ type, body }: Message): TraceStep | undefined {
  const family = familyWord(body[0])
  if (messageOfType(type) !== NFT_MSG_TRACE || family === undefined) return undefined
  const { table, chain, handle, type: reason, id, verdict, policy, ...packet } = decodeFields(fields, body, NFGENMSG)
  return {
    ...{ family, table, chain, id },
    // A trace message without a rule handle reports the end of a chain.
    step: reason === NFT_TRACETYPE_POLICY ? 'policy' : handle === undefined ? 'end' : 'rule',
    ...(handle === undefined ? {} : { handle }),
    verdict: decided(policy ?? verdict?.code, verdict?.chain),
    ...(Object.keys(packet).length === 0 ? {} : { packet }),
  }
}

const others = new Map<number | undefined, 'queue' | 'repeat' | 'stolen'>([
  [2, 'stolen'],
  [3, 'queue'],
  [4, 'repeat'],
])

function decided(code: number | undefined, chain: string | undefined): TraceVerdict | undefined {
  // Takes the low byte of the verdict, because the upper half holds an errno or a queue number.
  const number = code === undefined || code < 0 ? code : code & 0xff
  const word = others.get(number)
  if (word !== undefined) return { verdict: word }
  return number === undefined ? undefined : verdictOf(number, chain)
}
