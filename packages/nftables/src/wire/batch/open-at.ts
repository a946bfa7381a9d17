import type { Netns } from '@cni/netns/handle'
import { type Channel, channelFrom, type NetlinkSocket, openNetlinkSocket } from '@cni/netns/netlink'
import { tryLoadSys } from '@cni/netns/sys'
import { generationIn, generationRequest, numberedBatch, wasTaken } from './one-batch.ts'

/** nf_tables of a namespace, opened to send one prepared batch. Another process may have created the batch. */
export interface FreshNftables extends Disposable {
  /** True if the namespace has none of the tables that the batch adds. */
  readonly fresh: boolean
  /**
   * Generation number of the rules when nf_tables was opened. The kernel accepts a batch only at this generation. 1
   * means that the namespace never had rules.
   */
  readonly generation: number
  /**
   * Sends a batch. Returns `false` if another process has changed rules since nf_tables was opened. The kernel has then
   * changed nothing. The caller can use `apply`, which makes the change or reports the reason.
   */
  commit(batch: Uint8Array): boolean
  /**
   * Deletes all tables of the namespace, also tables of other programs. Returns `false` if another process has changed
   * rules since nf_tables was opened.
   */
  flush(): boolean
}

/** Opens nf_tables to send a prepared batch. Returns `undefined` if nf_tables cannot be used. */
export function openAt(target: Netns, isFresh: (channel: Channel) => boolean): FreshNftables | undefined {
  let socket: NetlinkSocket | undefined
  try {
    if (tryLoadSys() === undefined) return undefined
    socket = openNetlinkSocket(target, 'netfilter', { receiveBuffer: RECEIVE_BUFFER })
    socket.send(generationRequest(1))
    const generation = generationIn(socket, 1)
    return over(socket, generation, generation === FRESH_GENERATION || isFresh(channelFrom(socket)))
  } catch {
    // Returns `undefined`, because the caller has a fallback that reports the reason.
    socket?.close()
    return undefined
  }
}

// internal

const RECEIVE_BUFFER = 4_000_000
/** Generation number of a namespace in which no program has ever changed nf_tables. Such a namespace has no tables. */
const FRESH_GENERATION = 1
/** Sequence number of the batch's first message, higher than the numbers of earlier requests. */
const FIRST_SEQUENCE = 0x4000_0000

/** Batch that deletes every table of the namespace: one delete message without a table name. */
const FLUSH = Buffer.from(
  '1c0000001000010000000000000000000000000a080001000000000014000000020a01000000000000000000000000001400000011000500' +
    '00000000000000000000000a',
  'hex',
)

function over(socket: NetlinkSocket, generation: number, fresh: boolean): FreshNftables {
  let mustWait = false
  const commit = (batch: Uint8Array): boolean => {
    const bytes = numberedBatch(batch, { generation, first: FIRST_SEQUENCE })
    if (bytes === undefined) return false
    socket.send(bytes)
    return wasTaken(socket, bytes)
  }
  return {
    fresh,
    generation,
    commit,
    flush() {
      mustWait = true
      return commit(FLUSH)
    },
    [Symbol.dispose]: () => (mustWait ? socket.leave() : socket.close()),
  }
}
