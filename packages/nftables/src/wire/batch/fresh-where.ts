import type { Netns } from '@cni/netns/handle'
import { type Channel, channelFrom, type NetlinkSocket, openNetlinkSocket } from '@cni/netns/netlink'
import { tryLoadSys } from '@cni/netns/sys'
import { generationIn, generationRequest, numberedBatch, wasTaken } from './one-batch.ts'

/** nf_tables of a namespace, for one batch that was made before, perhaps by another process. */
export interface FreshNftables extends Disposable {
  /** Whether nothing is there that the batch would be added to. */
  readonly fresh: boolean
  /** The kernel's count of changes, in which alone a batch is taken; at 1 the namespace has never had any. */
  readonly generation: number
  /**
   * Sends a batch, if nobody has changed anything since this was opened. `false`: it was not taken, and nothing was
   * changed; `apply` does then what can be done, and says what is wrong.
   */
  commit(batch: Uint8Array): boolean
  /**
   * Takes out all that nf_tables holds in the namespace, whoever wrote it, if nobody has changed anything since this was
   * opened; `false` as of {@link FreshNftables.commit}. Closing does not wait until the kernel has freed it.
   */
  flush(): boolean
}

/**
 * Opens nf_tables of a namespace where `look` says whether it is fresh; `undefined` where it cannot be reached. For libraries
 * whose rules are in tables of their own kind.
 */
export function freshWhere(target: Netns, look: (channel: Channel) => boolean): FreshNftables | undefined {
  let socket: NetlinkSocket | undefined
  try {
    if (tryLoadSys() === undefined) return undefined
    socket = openNetlinkSocket(target, 'netfilter', { receiveBuffer: ROOM_FOR_REFUSALS })
    socket.send(generationRequest(1))
    const generation = generationIn(socket, 1)
    return over(socket, generation, generation === FRESH_GENERATION || look(channelFrom(socket)))
  } catch {
    // The kernel has no nf_tables, or we no privilege: who writes by itself has the words for it.
    socket?.close()
    return undefined
  }
}

// internal

const ROOM_FOR_REFUSALS = 4_000_000
/** Generation of a namespace whose nf_tables no program has ever changed: it has no tables to read. */
const FRESH_GENERATION = 1
/** Above all numbers of a channel that has looked. */
const FIRST = 0x4000_0000

/** A batch that deletes every table: the one message that names none. */
const FLUSH = Buffer.from(
  '1c0000001000010000000000000000000000000a080001000000000014000000020a01000000000000000000000000001400000011000500' +
    '00000000000000000000000a',
  'hex',
)

function over(socket: NetlinkSocket, generation: number, fresh: boolean): FreshNftables {
  let mustWait = false
  const commit = (batch: Uint8Array): boolean => {
    const bytes = numberedBatch(batch, { generation, first: FIRST })
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
