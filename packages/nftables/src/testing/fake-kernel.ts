import {
  attributeMap,
  be32,
  channelFrom,
  cString,
  decodeMessages,
  encodeAttributes,
  type Message,
  type NetlinkSocket,
  readBe32,
} from '@cni/netns/netlink'
import {
  changeOf,
  messageOfType,
  NFGENMSG,
  NFNL_MSG_BATCH_BEGIN,
  NFNL_MSG_BATCH_END,
  NFT_MSG_GETGEN,
  NFT_MSG_NEWGEN,
  nfgenmsg,
  typeOf,
} from '../wire/messages.ts'
import { NLM_F_ACK, NLM_F_ECHO } from '../wire/netlink-flags.ts'
import { type Nft, nftFrom } from '../wire/nft.ts'
import { type Answer, acknowledgement, datagramOf, dumpDatagrams } from './fake-answers.ts'
import { change, type FakeTransaction } from './fake-changes.ts'
import { dumpBodies } from './fake-dumps.ts'
import { NFT_MSG, NFTA_GEN } from './fake-numbers.ts'
import { FakeRefusal } from './fake-refusal.ts'
import { FakeSocket } from './fake-socket.ts'
import type { FakeState, FakeTable } from './fake-state.ts'

/** Fake of the kernel's nf_tables, in memory. Programs use it over fake netlink sockets. */
export interface FakeKernel {
  /** Opens a netlink socket to the fake kernel, for `channelFrom` of `@cni/netns/netlink`. */
  nfnetlink(options?: {
    /** True for a socket that receives events, as for the function `commits`. */
    readonly events?: boolean
    /**
     * Size of the socket's receive buffer in bytes. Default: 212992. Each message counts 512 bytes more, as in the
     * kernel.
     */
    readonly receiveBuffer?: number
  }): NetlinkSocket
  /** Opens a new netlink socket to the fake kernel, and returns an `Nft` that uses this socket. */
  open(options?: Parameters<FakeKernel['nfnetlink']>[0]): Nft
  /** All datagrams that programs sent to the fake kernel, in order. */
  readonly sent: readonly Buffer[]
}

const RECEIVE_BUFFER = 212_992
const FIRST_PORT = 4711
const NLM_F_DUMP = 0x300
const NLMSG_NOOP = 1

/**
 * Creates a fake of nf_tables, for tests without root. The fake reads netlink bytes and commits batches atomically. A
 * refusal has the errno and offset that a real kernel reports. The fake checks references between rules, but evaluates
 * no packets.
 *
 * @example
 * ```ts
 * import { Batch } from '@cni/nftables/wire'
 * import { fakeKernel } from '@cni/nftables/testing'
 *
 * const kernel = fakeKernel()
 * const chain = { family: 'ip', table: 'ex', chain: 'c' } as const
 * const nft = kernel.open()
 * nft.commit(new Batch().addTable(chain).addChain(chain).addRule({ ...chain, expressions: [{ name: 'counter' }] }))
 * export const rules = nft.rules(chain).length // 1
 * ```
 */
export function fakeKernel(
  options: {
    /** True if the fake treats callers as having CAP_NET_ADMIN. Default: true. */
    readonly privileged?: boolean
    /** True if the fake kernel has nf_tables. Default: true. */
    readonly nftables?: boolean
    /** Called before each change. The fake refuses the change with the returned errno. */
    readonly fail?: (change: {
      /** Name of the change, such as `add rule`. */ readonly what: string
      /** Netlink attributes of the change. */ readonly body: Buffer
    }) => string | undefined
  } = {},
): FakeKernel {
  const { privileged = true, nftables = true, fail } = options
  const sockets: FakeSocket[] = []
  const sent: Buffer[] = []
  let state: FakeState = new Map()
  let generation = 1
  let nextTable = 1n

  const batch = (port: number, [begin, ...messages]: readonly Message[]): Answer[] => {
    if (begin === undefined) return []
    const why = refusalOf(begin)
    if (why !== undefined) return [acknowledgement(begin, port, new FakeRefusal(why))]
    const transaction: FakeTransaction = { state, nextTable, notifications: [] }
    const echoes: Answer[] = []
    const end = messages.at(-1)
    const changes = messages.filter(({ type }) => type !== NFNL_MSG_BATCH_END)
    const refusals = changes.flatMap((message) => {
      const from = transaction.notifications.length
      const refused = tryChange(transaction, message, port)
      const { flags, sequence } = message
      if ((flags & NLM_F_ECHO) !== 0) echoes.push(...answersOf(transaction.notifications.slice(from), sequence, port))
      return refused
    })
    // Ignores a batch without an end message, as the kernel does.
    if (refusals.length > 0 || end?.type !== NFNL_MSG_BATCH_END) return refusals
    if (transaction.notifications.length > 0) commit(transaction, port)
    return (end.flags & NLM_F_ACK) === 0 ? echoes : [...echoes, acknowledgement(end, port)]
  }
  /**
   * Errno with which the fake kernel refuses a batch before reading its changes. `undefined` if it reads the changes.
   */
  const refusalOf = (begin: Message): string | undefined => {
    if (!privileged) return 'EPERM'
    if (!nftables) return 'EOPNOTSUPP'
    const expected = readBe32(attributeMap(begin.body, NFGENMSG).get(NFTA_GEN.ID))
    return expected === undefined || expected === generation ? undefined : 'ERESTART'
  }
  const tryChange = (transaction: FakeTransaction, message: Message, port: number): Answer[] => {
    const { type, flags, body } = message
    try {
      const refused = fail?.({ what: words(message), body })
      if (refused !== undefined) throw new FakeRefusal(refused)
      change(transaction, { message: messageOfType(type), flags, body })
      return []
    } catch (error) {
      if (error instanceof FakeRefusal) return [acknowledgement(message, port, error)]
      throw error
    }
  }
  const commit = (transaction: FakeTransaction, port: number): void => {
    state = withoutIds(transaction.state)
    nextTable = transaction.nextTable
    generation++
    const notifications = answersOf(transaction.notifications, 0, port)
    notifications.push({ type: typeOf(NFT_MSG_NEWGEN), sequence: 0, port, body: generationBody(generation) })
    for (const socket of sockets) if (socket.events) for (const each of notifications) socket.take(datagramOf([each]))
  }

  const request = (port: number, message: Message): Buffer[] => {
    const { type, flags, sequence, body } = message
    const kind = messageOfType(type)
    try {
      if (type === NLMSG_NOOP) return [datagramOf([acknowledgement(message, port)])]
      if (!privileged) throw new FakeRefusal('EPERM')
      if (!nftables) throw new FakeRefusal('EINVAL')
      if (kind === NFT_MSG_GETGEN) {
        return [datagramOf([{ type: typeOf(NFT_MSG_NEWGEN), sequence, port, body: generationBody(generation) }])]
      }
      if ((flags & NLM_F_DUMP) !== NLM_F_DUMP) throw new FakeRefusal('EOPNOTSUPP')
      const { add, bodies } = dumpBodies(state, kind, body)
      return dumpDatagrams(typeOf(add), bodies, sequence, port)
    } catch (error) {
      if (error instanceof FakeRefusal) return [datagramOf([acknowledgement(message, port, error)])]
      throw error
    }
  }

  const nfnetlink = ({
    events = false,
    receiveBuffer = RECEIVE_BUFFER,
  }: NonNullable<Parameters<FakeKernel['nfnetlink']>[0]> = {}): NetlinkSocket => {
    const port = FIRST_PORT + sockets.length
    const socket = new FakeSocket(events, receiveBuffer, (datagram) => {
      sent.push(datagram)
      const messages = decodeMessages(datagram)
      if (messages[0]?.type !== NFNL_MSG_BATCH_BEGIN) return messages.flatMap((message) => request(port, message))
      // Sends each answer to a batch as a separate datagram, as the kernel does.
      return batch(port, messages).map((answer) => datagramOf([answer]))
    })
    sockets.push(socket)
    return socket
  }
  return { nfnetlink, open: (opened) => nftFrom(channelFrom(nfnetlink(opened))), sent }
}

function answersOf(notifications: FakeTransaction['notifications'], sequence: number, port: number): Answer[] {
  // Events about set elements have the sequence number 0, as in the kernel.
  const isElement = (message: number) => message === NFT_MSG.NEWSETELEM || message === NFT_MSG.DELSETELEM
  return notifications.map(({ message, body }) => ({
    ...{ type: typeOf(message), sequence: isElement(message) ? 0 : sequence, port, body },
  }))
}

function words(message: Message): string {
  const change = changeOf(messageOfType(message.type))
  return change === undefined ? 'nothing' : `${change.action} ${change.kind}`
}

function generationBody(generation: number): Buffer {
  return encodeAttributes(
    [
      [NFTA_GEN.ID, be32(generation)],
      [NFTA_GEN.PID, be32(process.pid)],
      [NFTA_GEN.PROCESS, cString('fake')],
    ],
    nfgenmsg(0),
  )
}

/** Removes the ids of rules and sets after a commit, because ids are valid only inside their batch. */
function withoutIds(state: FakeState): FakeState {
  const forget = (table: FakeTable): FakeTable => ({
    ...table,
    chains: new Map(
      [...table.chains].map(([name, chain]) => [
        name,
        { ...chain, rules: chain.rules.map((rule) => ({ ...rule, id: undefined })) },
      ]),
    ),
    sets: new Map([...table.sets].map(([name, set]) => [name, { ...set, id: undefined }])),
  })
  return new Map([...state].map(([key, table]) => [key, forget(table)]))
}
