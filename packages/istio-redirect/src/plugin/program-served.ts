import type { AddAheadContext } from '@cni/skel'
import type { ProgramAnswer } from '../serve/protocol.ts'
import { attachmentKey } from '../state/attachment-of-call.ts'
import { type MadeRecord, recordsToWrite } from '../state/made-records.ts'
import type { NamespaceNetwork } from './namespace-network.ts'
import type { ServedTables } from './open-tables.ts'

/** What {@link commitServed} is to do. */
export interface ServedProgram {
  readonly runDir: string
  readonly answer: ProgramAnswer
  readonly tables: ServedTables
}

/** Rules that are in the kernel. */
export interface Committed {
  /** How long that took. */
  readonly durationMs: number
  /** Does the rest: addresses and routes, and the record's end. */
  finish(): Promise<void>
}

/**
 * Records what is to be done, and writes the rules: in the steps of `redirectNamespace`, of which each can be taken back.
 * `undefined` where that is not possible, for whatever reason: then nothing has been changed, and who goes on alone will say
 * what is wrong.
 */
export async function commitServed(c: AddAheadContext, program: ServedProgram): Promise<Committed | undefined> {
  const { runDir, tables } = program
  const { record, batch } = program.answer
  if (record.backend !== tables.backend || !isOf(c, record)) return undefined
  // Without a record rules of the other kind have to be looked for, and to go.
  if (!tables.untouched && (await hasUnrecorded(c, tables.backend))) return undefined
  const key = attachmentKey(c)
  const begun = performance.now()
  let network: NamespaceNetwork | undefined
  let takeBack: (() => void) | undefined
  let committed = false
  try {
    network = await networkOf(c, record)
    const records = recordsToWrite(runDir)
    // One that is there says what has to be taken back first.
    if (records.read(key) !== undefined) return undefined
    takeBack = records.write(key, record)
    c.undo(takeBack)
    c.undo(async () => {
      if (committed) await (await import('./remove-served.ts')).removeServed(c, runDir)
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
    durationMs,
    async finish() {
      using opened = network
      await opened?.prepare((step) => c.undo(step))
      recordsToWrite(runDir).replace(key, { ...record, applied: true, generation: tables.generation + 1 })
    },
  }
}

// internal

/** Whether a record is about the namespace that was asked about. */
const isOf = ({ netns: { dev, ino } }: AddAheadContext, { netns }: MadeRecord): boolean =>
  netns.dev === Number(dev) && netns.ino === Number(ino)

const hasUnrecorded = async (c: AddAheadContext, next: ServedTables['backend']): Promise<boolean> =>
  next !== 'other' && (await import('./leave-unrecorded.ts')).hasUnrecorded(c.netns, next)

/** Most pods need none: then what reaches it is not loaded. */
async function networkOf(c: AddAheadContext, record: MadeRecord): Promise<NamespaceNetwork | undefined> {
  if (!record.families.includes('ipv6') && record.tproxy === null) return undefined
  return (await import('./namespace-network.ts')).openNetwork(c.netns, record)
}
