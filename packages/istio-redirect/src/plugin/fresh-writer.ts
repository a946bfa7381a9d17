import { iptables } from '@cni/iptables'
import type { FreshNftables } from '@cni/nftables/fresh'
import { FIRST_GENERATION } from '../first-generation.ts'
import { type CaptureConfig, capturedFamilies } from '../redirect/config.ts'
import { type BatchBackend, makeBatch } from '../redirect/make-batch.ts'
import { hasUnrecorded } from './leave-unrecorded.ts'
import { openTables } from './open-tables.ts'
import type { RedirectContext } from './redirect-context.ts'
import type { FirstWriter } from './rule-writer.ts'
import { writerFor } from './writer-for.ts'

/** What {@link freshWriter} sends. */
export interface FreshBatch {
  readonly backend: BatchBackend
  /** The batch of the configuration, from who has made it. Default: it is made now. */
  readonly batch?: Uint8Array | undefined
}

/**
 * Writes the rules of a configuration by one batch; `undefined` where rules are there already, or where only a program can
 * write them.
 */
export async function freshWriter(
  c: RedirectContext,
  config: CaptureConfig,
  { backend, batch: made }: FreshBatch,
): Promise<(FirstWriter & Disposable) | undefined> {
  const tables = openTables(c.netns, backend === 'nftables')
  if (tables === undefined) return undefined
  let batch: Uint8Array | undefined
  try {
    if (tables.fresh && !(await hasOthers(c, tables, backend))) batch = made ?? makeBatch(config, backend)
  } finally {
    if (batch === undefined) tables[Symbol.dispose]()
  }
  return batch && writerOf(c, { tables, batch, config, backend })
}

// internal

/** Nobody has recorded what is there: rules of the other kind would see every packet, too. */
const hasOthers = async ({ netns }: RedirectContext, { generation }: FreshNftables, next: BatchBackend) =>
  generation !== FIRST_GENERATION && (await hasUnrecorded(netns, next))

interface Opened {
  readonly tables: FreshNftables
  readonly batch: Uint8Array
  readonly config: CaptureConfig
  readonly backend: BatchBackend
}

function writerOf(c: RedirectContext, { tables, batch, config, backend }: Opened): FirstWriter & Disposable {
  return {
    backend: async () => backend,
    async apply() {
      const begun = performance.now()
      // What the kernel does not take, the other writer does step by step, or says why not.
      if (!tables.commit(batch)) return writerFor(c, config, backend).apply()
      const durationMs = performance.now() - begun
      c.undo(() => takeBack(c, config, backend))
      return {
        report: { plan: 'fresh', families: capturedFamilies(config), backend, durationMs },
        isAlone: true,
        generation: tables.generation + 1,
      }
    },
    [Symbol.dispose]: () => tables[Symbol.dispose](),
  }
}

/** Nothing of iptables was there before: its tables go as well. */
async function takeBack({ netns }: RedirectContext, config: CaptureConfig, backend: BatchBackend): Promise<void> {
  await writerFor(netns, config, backend).remove()
  if (backend === 'nft') await iptables(netns).removeEmptyTables()
}
