import { placeOf, type Where } from '@cni/netns/handle'
import { escapeUnsafe } from '@cni/types'
import { addChain, addRules } from '../encode/encode-table.ts'
import type { Table } from '../rules/model.ts'
import type { Match } from '../rules/statement.ts'
import { Batch } from '../wire/batch/batch.ts'
import { openTraces, traces, type TraceStep as WireStep } from '../wire/events/traces.ts'
import type { Verdict } from '../wire/fields/verdict.ts'
import { type Nft, openNft } from '../wire/nft.ts'
import { isNftError } from '../wire/nft-error.ts'
import type { ChainName } from '../wire/specs.ts'
import { headersOf } from './headers.ts'
import { waiting } from './listen.ts'
import type { monitor } from './monitor.ts'
import { RuleTexts } from './rule-texts.ts'

/**
 * Traces real packets through all rules of a namespace. A temporary table makes the kernel report the packets. Linux
 * before 5.12 keeps this table if the process dies. Tracing is expensive: select packets with `only`. A step `lost`
 * means that the socket was full. Throws `NftError`: `DENIED`, `UNSUPPORTED`, `INVALID` for contradicting conditions.
 *
 * @example
 * ```ts
 * import type { Netns } from '@cni/netns'
 * import { tracePackets } from '@cni/nftables/watch'
 *
 * export async function follow(pod: Netns, signal: AbortSignal, write: (line: string) => void) {
 *   const only = [{ kind: 'tcp dport', value: 80 }] as const
 *   for await (const { text } of tracePackets(pod, { only, signal })) write(text)
 * }
 * ```
 */
export async function* tracePackets(
  where: Where,
  {
    only = [],
    signal,
    interval,
  }: Pick<NonNullable<Parameters<typeof monitor>[1]>, 'signal' | 'interval'> & {
    /**
     * Conditions that select the packets to trace, among incoming packets and packets of local processes. Default:
     * every packet.
     */
    readonly only?: readonly Match[] | undefined
  } = {},
): AsyncGenerator<
  | (ChainName & {
      /** Kind of step: a matched rule, a chain's end, or a policy. */
      readonly step: 'rule' | 'end' | 'policy'
      /** Id of the traced packet in all steps. The kernel may reuse an id later. */
      readonly id: number
      /** Text of the rule as nft lists it. Missing if the rule no longer exists. */
      readonly rule?: string
      readonly handle?: bigint
      readonly verdict?: Verdict | { readonly verdict: 'queue' | 'repeat' | 'stolen' }
      /** Header fields of the traced packet, reported with the packet's first step in each base chain. */
      readonly packet?: {
        /** Transport protocol of the packet, as a number (`IPPROTO_…`). */
        readonly protocol: number
        readonly source: string
        readonly destination: string
        readonly sport?: number
        readonly dport?: number
        /** Summary of the packet, such as `tcp 10.0.0.9:4000 > 10.0.0.5:80`. */
        readonly text: string
      }
      /** Summary of the trace step in one line. */
      readonly text: string
    })
  | { readonly step: 'lost'; readonly text: string },
  void,
  void
> {
  const context = placeOf(where, 'tracePackets')
  const table = traceTable(only)
  using nft = openNft(context.netns)
  using socket = openTraces(context.netns)
  begin(nft, table)
  try {
    const texts = new RuleTexts(nft)
    for await (const trace of traces(socket, waiting(socket, { signal: signal ?? context.signal, interval }))) {
      if (trace.step === 'lost') yield { step: 'lost', text: 'steps were lost' }
      else if (trace.table !== table.name) yield await stepOf(trace, texts)
    }
  } finally {
    nft.commit(new Batch().deleteTable({ family: table.family, table: table.name }))
  }
}

type PacketEvent = ReturnType<typeof tracePackets> extends AsyncGenerator<infer Event> ? Event : never
type PacketStep = Exclude<PacketEvent, { readonly step: 'lost' }>

/** Priority of the chain that turns tracing on. The chain runs before rules of other programs. */
const FIRST = -350

function traceTable(only: readonly Match[]): Table {
  const rules = [{ statements: [...only, { kind: 'nftrace set', to: 1 }] }] as const
  const chainAt = (hook: 'prerouting' | 'output') =>
    ({ name: hook, base: { type: 'filter', hook, priority: FIRST }, rules }) as const
  const name = `cni-trace-${process.pid}-${Math.random().toString(36).slice(2, 10)}`
  return { family: 'inet', name, sets: [], chains: [chainAt('prerouting'), chainAt('output')] }
}

/** Table flag `owner`: the kernel deletes the table when the socket that created it closes. */
const OWNER = 2

function begin(nft: Nft, table: Table): void {
  try {
    nft.commit(batchOf(table, OWNER))
  } catch (error) {
    // Linux before 5.12 refuses the table flag `owner`: create the table without the flag.
    if (!isNftError(error) || error.code !== 'REFUSED') throw error
    nft.commit(batchOf(table, 0))
  }
}

function batchOf(table: Table, flags: number): Batch {
  const batch = new Batch().addTable({ family: table.family, table: table.name, flags }, { exclusive: true })
  for (const chain of table.chains) {
    addChain(batch, table, chain)
    addRules(batch, table, chain)
  }
  return batch
}

async function stepOf(
  { step, id, family, table, chain, handle, verdict, packet }: WireStep,
  texts: RuleTexts,
): Promise<PacketStep> {
  const rule = handle === undefined ? undefined : await texts.of({ family, table, handle })
  const headers = packet === undefined ? undefined : headersOf(packet)
  const end = verdict === undefined ? '' : ` → ${Object.values(verdict).join(' ')}`
  const what = step === 'rule' ? `rule ${rule ?? `handle ${handle}, which is gone`}` : step
  return {
    ...{ step, id, family, table, chain },
    ...(rule === undefined ? {} : { rule }),
    ...(handle === undefined ? {} : { handle }),
    ...(verdict === undefined ? {} : { verdict }),
    ...(headers === undefined ? {} : { packet: headers }),
    text: escapeUnsafe(
      `${id.toString(16)} ${family} ${table} ${chain}: ${what}${end}${headers === undefined ? '' : ` (${headers.text})`}`,
    ),
  }
}
