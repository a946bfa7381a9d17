import type { Netns } from '@cni/netns/handle'
import { type Channel, channelFrom, type NetlinkSocket, openNetlinkSocket } from '@cni/netns/netlink'
import { tryLoadSys } from '@cni/netns/sys'
import { generationIn, generationRequest, numberedBatch, wasTaken } from './one-batch.ts'

/** nf_tables of a namespace, for one prepared batch, perhaps made by another process. */
export interface FreshNftables extends Disposable {
  /** True if the namespace holds nothing that the batch would be added to. */
  readonly fresh: boolean
  /** The kernel takes a batch only in this generation. At 1 the namespace has never had any rules. */
  readonly generation: number
  /**
   * Sends a batch, if no process has changed rules since this was opened. Returns `false` if the kernel did not take
   * it; then nothing was changed, and `apply` makes the change or reports the reason.
   */
  commit(batch: Uint8Array): boolean
  /**
   * Deletes everything that nf_tables holds in the namespace, of all programs. Returns `false` like
   * {@link FreshNftables.commit} if another process has changed rules since this was opened. Closing does not wait
   * until the kernel has freed the objects.
   */
  flush(): boolean
}

/**
 * Opens nf_tables of a namespace. The function `look` decides if the namespace is fresh. Returns `undefined` if
 * nf_tables cannot be used. For libraries that keep their rules in tables of their own kind.
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
    // The kernel has no nf_tables, or the process lacks the privilege. The caller then writes rules itself and reports
    // the reason.
    socket?.close()
    return undefined
  }
}

// internal

const ROOM_FOR_REFUSALS = 4_000_000
/** Generation of a namespace whose nf_tables no program has ever changed: it has no tables. */
const FRESH_GENERATION = 1
/** Sequence number above all numbers that the channel of `look` uses. */
const FIRST = 0x4000_0000

/** Batch that deletes every table: one delete message without a name. */
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
