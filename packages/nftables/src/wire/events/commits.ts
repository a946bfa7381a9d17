import type { NetnsTarget } from '@cni/netns'
import { events, type Message, type NetlinkSocket } from '@cni/netns/netlink'
import { chainIn, type NftChain, type NftRule, type NftTable, ruleIn, tableIn } from '../dumps/records.ts'
import { elementsIn, type NftElement, type NftSet, setIn } from '../dumps/set-records.ts'
import { familyWord } from '../family.ts'
import { decodeFields } from '../fields/fields.ts'
import { setFields } from '../fields/set-fields.ts'
import { changeOf, messageOfType, NFGENMSG, NFT_MSG_NEWGEN } from '../messages.ts'
import type { Nft } from '../nft.ts'
import { generationFields } from '../objects.ts'
import { openGroup } from '../open-netfilter.ts'
import type { SetName } from '../specs.ts'

/** Committed nf_tables transaction of any process in the namespace, as the kernel reports it. */
export interface Commit {
  /** Generation number after the transaction. `undefined` in the commit that only reports the loss of events. */
  readonly generation: number | undefined
  /** Pid of the process that made the transaction, in the initial PID namespace. */
  readonly pid: number
  readonly program: string
  /**
   * Netlink port of the socket that sent the transaction. A process recognises its own commits by `port()` of {@link
   * Nft}.
   */
  readonly port: number
  /**
   * Changes of the transaction in the kernel's order. An added object has its new content, a deleted object its last
   * content. Newer kernels report only the name of a deleted set.
   */
  readonly changes: readonly (
    | ({ readonly action: 'add' | 'delete' } & (
        | { readonly kind: 'table'; readonly table: NftTable }
        | { readonly kind: 'chain'; readonly chain: NftChain }
        | { readonly kind: 'rule'; readonly rule: NftRule }
        | { readonly kind: 'element'; readonly set: SetName; readonly elements: readonly NftElement[] }
        | { readonly kind: 'object' | 'flowtable' }
      ))
    | { readonly action: 'add'; readonly kind: 'set'; readonly set: NftSet }
    | { readonly action: 'delete'; readonly kind: 'set'; readonly set: SetName }
  )[]
  /** True if the socket lost events before or in this commit. The caller has to read all rules again in this case. */
  readonly lost: boolean
}

export type Change = Commit['changes'][number]

const NFNLGRP_NFTABLES = 7

/**
 * Opens a netlink socket for all transactions of a namespace. The function {@link commits} reads this socket. Throws
 * `NftError`: `DENIED`, `UNSUPPORTED`.
 */
export function openCommits(target: NetnsTarget, options: { readonly receiveBuffer?: number } = {}): NetlinkSocket {
  return openGroup(target, NFNLGRP_NFTABLES, options)
}

/**
 * Yields the transactions of a namespace, each as a commit. The kernel drops events while the socket is full. A commit
 * with `lost` and without a generation number reports this loss. The next commit may be incomplete, and also has
 * `lost`. Throws `NetnsError('PROTOCOL')` for invalid messages.
 *
 * @example
 * using socket = openCommits(pod)
 * for await (const { lost, port, changes } of commits(socket, { signal })) {
 *   if (lost || (port !== nft.port() && changes.some(({ kind }) => kind === 'rule'))) await look()
 * }
 */
export async function* commits(
  socket: NetlinkSocket,
  options?: Parameters<typeof events>[1],
): AsyncGenerator<Commit, void, void> {
  let changes: Change[] = []
  let partial = false
  for await (const { messages, lost } of events(socket, options)) {
    if (lost) {
      changes = []
      partial = true
      yield { generation: undefined, pid: 0, program: '', port: 0, changes: [], lost }
      // Skips the remaining messages after lost events, because the caller reads all rules again.
      continue
    }
    for (const message of messages) {
      const change = changeIn(message)
      if (change !== undefined) changes.push(change)
      else if (messageOfType(message.type) === NFT_MSG_NEWGEN) {
        const { generation, pid = 0, program = '' } = decodeFields(generationFields, message.body, NFGENMSG)
        yield { generation, pid, program, port: message.port, changes, lost: partial }
        changes = []
        partial = false
      }
    }
  }
}

const setNames = { table: setFields.table, set: setFields.set }

/**
 * Decodes the echoed changes of a commit, in the kernel's order.
 *
 * @example
 * const changes = changesOf(nft.commit(new Batch({ echo: true }).addTable({ family: 'inet', table: 'ex' })))
 */
export const changesOf = ({ echo }: ReturnType<Nft['commit']>): Commit['changes'][number][] =>
  echo.flatMap((message) => changeIn(message) ?? [])

/** Decodes a netlink message about a changed object. `undefined` for a message that reports no change. */
function changeIn({ type, body }: Message): Change | undefined {
  const change = changeOf(messageOfType(type))
  const family = familyWord(body[0])
  if (change === undefined || family === undefined) return undefined
  const { action, kind } = change
  switch (kind) {
    case 'table':
      return { action, kind, table: tableIn(family, body) }
    case 'chain':
      return { action, kind, chain: chainIn(family, body) }
    case 'rule':
      return { action, kind, rule: ruleIn(family, body) }
    case 'set':
      return action === 'add'
        ? { action, kind, set: setIn(family, body) }
        : { action, kind, set: { family, ...decodeFields(setNames, body, NFGENMSG) } }
    case 'element':
      return { action, kind, ...elementsIn(family, body) }
    default:
      return { action, kind }
  }
}
