import { iptables } from '@cni/iptables'
import { type CaptureConfig, capturedFamilies } from '@cni/istio-rules'
import type { FreshNftables } from '@cni/nftables/fresh'
import type { Backend } from '../backend.ts'
import { makeBatch } from '../decide/make-batch.ts'
import { INITIAL_GENERATION } from '../initial-generation.ts'
import { openTables } from './open-tables.ts'
import type { RedirectContext } from './redirect-context.ts'
import { hasUnrecorded } from './remove-unrecorded.ts'
import type { FirstWriter } from './rule-writer.ts'
import { writerFor } from './writer-for.ts'

/** Back end and encoded netlink batch of the rules that {@link batchWriter} writes. */
export interface BatchOptions {
  readonly backend: Exclude<Backend, 'iptables-legacy'>
  /** Netlink batch that the agent has encoded from the configuration. Default: the plugin encodes it. */
  readonly batch?: Uint8Array | undefined
}

/** Prepares to write rules by one netlink batch. Returns `undefined` if a batch is impossible. */
export async function batchWriter(
  c: RedirectContext,
  config: CaptureConfig,
  { backend, batch: given }: BatchOptions,
): Promise<(FirstWriter & Disposable) | undefined> {
  const tables = openTables(c.netns, backend === 'nftables')
  if (tables === undefined) return undefined
  let batch: Uint8Array | undefined
  try {
    if (tables.fresh && !(await hasOthers(c, tables, backend))) batch = given ?? makeBatch(config, backend)
  } finally {
    if (batch === undefined) tables[Symbol.dispose]()
  }
  return batch && writerOf(c, { tables, batch, config, backend })
}

// internal

/** True if the namespace may have rules of another back end. They must be removed first. */
const hasOthers = async ({ netns }: RedirectContext, { generation }: FreshNftables, next: BatchOptions['backend']) =>
  generation !== INITIAL_GENERATION && (await hasUnrecorded(netns, next))

interface Opened {
  readonly tables: FreshNftables
  readonly batch: Uint8Array
  readonly config: CaptureConfig
  readonly backend: BatchOptions['backend']
}

function writerOf(c: RedirectContext, { tables, batch, config, backend }: Opened): FirstWriter & Disposable {
  return {
    backend: async () => backend,
    async apply() {
      const begun = performance.now()
      // If the kernel refuses the batch, writes step by step. The error then names the refused rule.
      if (!tables.commit(batch)) return writerFor(c, config, backend).apply()
      const durationMs = performance.now() - begun
      c.undo(() => rollBack(c, config, backend))
      return {
        report: { plan: 'fresh', families: capturedFamilies(config), backend, durationMs },
        isAlone: true,
        generation: tables.generation + 1,
      }
    },
    [Symbol.dispose]: () => tables[Symbol.dispose](),
  }
}

/** Rolls back: removes the rules, and the iptables tables that the batch created. */
async function rollBack(
  { netns }: RedirectContext,
  config: CaptureConfig,
  backend: BatchOptions['backend'],
): Promise<void> {
  await writerFor(netns, config, backend).remove()
  if (backend === 'iptables-nft') await iptables(netns).removeEmptyTables()
}
