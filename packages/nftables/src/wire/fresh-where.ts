import type { Netns } from '@cni/netns/handle'
import { attributeMap, type Channel, NETLINK_NETFILTER, openNetlink, readBe32 } from '@cni/netns/netlink'
import { tryLoadSys } from '@cni/netns/sys'
import { withGeneration } from './generation-slot.ts'

/** nf_tables of a namespace, for one batch that was made before, perhaps by another process. */
export interface FreshNftables extends Disposable {
  /** Whether nothing is there that the batch would be added to. */
  readonly fresh: boolean
  /** The kernel's count of changes, in which alone a batch is taken; at 1 nobody has ever made any. */
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
  let channel: Channel | undefined
  try {
    if (tryLoadSys() === undefined) return undefined
    channel = openNetlink(target, NETLINK_NETFILTER, { receiveBuffer: ROOM_FOR_REFUSALS })
    const generation = generationOf(channel)
    return over(channel, generation, generation === UNTOUCHED || look(channel))
  } catch {
    // The kernel has no nf_tables, or we no privilege: who writes by itself has the words for it.
    channel?.close()
    return undefined
  }
}

// internal

const ROOM_FOR_REFUSALS = 4_000_000
/** Of a namespace in which nobody has ever changed anything: there is nothing to look at. */
const UNTOUCHED = 1
const GET_GENERATION = (10 << 8) | 16
const GENERATION_ID = 1
const NFGENMSG = 4
const ANY_FAMILY = new Uint8Array(NFGENMSG)

/** A batch that deletes every table: the one message that names none. */
const FLUSH =
  '1c0000001000010000000000000000000000000a080001000000000014000000020a01000000000000000000000000001400000011000500' +
  '00000000000000000000000a'

function over(channel: Channel, generation: number, fresh: boolean): FreshNftables {
  let mustWait = false
  const commit = (batch: Uint8Array): boolean => {
    const bytes = withGeneration(batch, generation)
    if (bytes === undefined) return false
    const { refusals, lost } = channel.exchange(bytes, 'Change nf_tables')
    return refusals.length === 0 && !lost
  }
  return {
    fresh,
    generation,
    commit,
    flush() {
      mustWait = true
      return commit(Buffer.from(FLUSH, 'hex'))
    },
    [Symbol.dispose]: () => (mustWait ? channel.leave() : channel.close()),
  }
}

function generationOf(channel: Channel): number {
  const { body } = channel.get({ type: GET_GENERATION, fixed: ANY_FAMILY, what: 'Ask for the generation' })
  const generation = readBe32(attributeMap(body, NFGENMSG).get(GENERATION_ID))
  if (generation === undefined) throw new Error('the kernel tells no generation')
  return generation
}
