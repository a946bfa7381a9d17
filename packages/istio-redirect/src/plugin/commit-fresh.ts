import type { AddAheadContext } from '@cni/skel'
import type { ProgramAnswer } from '../serve/protocol.ts'
import { attachmentKey } from '../state/attachment-of-call.ts'
import { type MadeRecord, recordsToWrite } from '../state/made-records.ts'
import type { NamespaceNetwork } from './namespace-network.ts'
import type { ServedTables } from './open-tables.ts'

/** What {@link commitFresh} is to do. */
export interface FreshProgram extends Pick<ProgramAnswer, 'pod' | 'mode' | 'record' | 'batch'> {
  readonly runDir: string
  readonly tables: ServedTables
}

/** Rules that are in the kernel. */
export interface Committed {
  /** Does the rest: addresses and routes, and the record's end; and logs it. */
  finish(): Promise<void>
}

/**
 * Records what is to be done, and writes the rules of a namespace that has none: in the steps of `redirectNamespace`, of
 * which each can be taken back. `undefined` where that is not possible, for whatever reason: then nothing has been changed,
 * and who goes on step by step will say what is wrong.
 */
export async function commitFresh(c: FreshContext, program: FreshProgram): Promise<Committed | undefined> {
  const { runDir, tables, pod, mode, record, batch } = program
  if (record.backend !== tables.backend || !isOf(c, record)) return undefined
  // Without a record rules of the other kind have to be looked for, and to go.
  if (!tables.untouched && (await hasUnrecorded(c, tables.backend))) return undefined
  const key = attachmentKey(c)
  const records = recordsToWrite(runDir)
  const begun = performance.now()
  let network: NamespaceNetwork | undefined
  let takeBack: (() => void) | undefined
  let committed = false
  try {
    // Most pods need none: then what reaches it is not loaded.
    if (record.families.includes('ipv6') || record.tproxy !== null) network = await networkOf(c, record)
    // One that is there says what has to be taken back first.
    if (records.read(key) !== undefined) return undefined
    takeBack = records.write(key, record)
    c.undo(takeBack)
    c.undo(async () => {
      if (committed) await (await import('./remove-fresh.ts')).removeFresh(c, runDir)
    })
    committed = tables.commit(batch)
  } catch {
    // Its own way leads there again, and has the words for it.
  } finally {
    if (!committed) {
      network?.[Symbol.dispose]()
      takeBack?.()
    }
  }
  if (!committed) return undefined
  const durationMs = performance.now() - begun
  return {
    async finish() {
      const { families, backend } = record
      // Rounded without `Math`, which bun makes when it is first named.
      if (backend === 'nft') c.log.debug('iptables by netlink', { ms: (durationMs + 0.5) | 0, families })
      try {
        await network?.prepare((step) => c.undo(step))
      } finally {
        network?.[Symbol.dispose]()
      }
      records.replace(key, { ...record, applied: true, generation: tables.generation + 1 })
      c.log.info('traffic is redirected', { pod, mode, plan: 'fresh', families, backend, durationMs })
    },
  }
}

// internal

/** The call that it is done for. */
type FreshContext = Pick<AddAheadContext, 'netns' | 'undo' | 'log' | 'networkName' | 'containerID' | 'ifName'>

/** Whether a record is about the namespace that was asked about. */
const isOf = ({ netns: { dev, ino } }: FreshContext, { netns }: MadeRecord): boolean =>
  netns.dev === Number(dev) && netns.ino === Number(ino)

const hasUnrecorded = async (c: FreshContext, next: ServedTables['backend']): Promise<boolean> =>
  next !== 'other' && (await import('./leave-unrecorded.ts')).hasUnrecorded(c.netns, next)

async function networkOf(c: FreshContext, record: MadeRecord): Promise<NamespaceNetwork> {
  return (await import('./namespace-network.ts')).openNetwork(c.netns, record)
}
