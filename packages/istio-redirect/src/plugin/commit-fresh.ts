import type { Netns } from '@cni/netns/handle'
import { diskFolder } from '@cni/skel/state'
import type { FreshSteps } from '../decide/fresh-record.ts'
import type { RecordedNetwork } from '../state/attachments.ts'
import { attachmentsFolder } from '../state/folder.ts'
import type { FreshPlace } from './fresh-place.ts'
import type { NamespaceNetwork } from './namespace-network.ts'
import type { ServedTables } from './open-tables.ts'

export { isForCall } from '../serve/is-for-call.ts'

/** What {@link commitFresh} is to do. */
export interface FreshProgram extends FreshSteps {
  /** What the batch is for. */
  readonly backend: ServedTables['backend']
  readonly batch: Uint8Array
}

/** Rules that are in the kernel. */
export interface Committed {
  /** How long the record and the rules took, in milliseconds. */
  readonly ms: number
  /** Does the rest: addresses and routes, and the record's end. */
  finish(): Promise<void>
}

/**
 * Records what is to be done, and writes the rules of a namespace that has none: in the steps of `redirectNamespace`, of
 * which each can be taken back. `undefined` where that is not possible, for whatever reason: then nothing has been changed,
 * and who goes on step by step will say what is wrong.
 */
export async function commitFresh(program: FreshProgram, place: FreshPlace): Promise<Committed | undefined> {
  const { backend, record, batch } = program
  const { netns, runDir, tables, undo } = place
  if (backend !== tables.backend || backend === 'other') return undefined
  // Without a record rules of the other kind have to be looked for, and to go.
  if (!tables.untouched && (await hasUnrecorded(netns, backend))) return undefined
  const records = diskFolder(attachmentsFolder(runDir))
  const begun = performance.now()
  let network: NamespaceNetwork | undefined
  let isRecorded = false
  let committed = false
  try {
    if (program.network !== undefined) network = await networkOf(netns, program.network)
    // One that is there says what has to be taken back first.
    if (records.read(record.name) !== undefined) return undefined
    records.write(record.name, record.begun)
    isRecorded = true
    undo(() => records.remove(record.name))
    undo(async () => {
      if (committed) await (await import('./remove-fresh.ts')).removeFresh(place, record)
    })
    committed = tables.commit(batch)
  } catch {
    // Its own way leads there again, and has the words for it.
  } finally {
    if (!committed) {
      network?.[Symbol.dispose]()
      if (isRecorded) records.remove(record.name)
    }
  }
  if (!committed) return undefined
  return {
    ms: performance.now() - begun,
    async finish() {
      try {
        await network?.prepare(undo)
      } finally {
        network?.[Symbol.dispose]()
      }
      records.write(record.name, record.applied)
    },
  }
}

// internal

const hasUnrecorded = async (netns: Netns, next: 'nft' | 'nftables'): Promise<boolean> =>
  (await import('./leave-unrecorded.ts')).hasUnrecorded(netns, next)

async function networkOf(netns: Netns, network: RecordedNetwork): Promise<NamespaceNetwork> {
  return (await import('./namespace-network.ts')).openNetwork(netns, network)
}
