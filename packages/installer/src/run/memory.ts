import type { PrimaryMemory } from '../conf/choose-primary.ts'
import { type DisplacedFiles, displacedFiles } from '../files/displaced.ts'

/** What an installer remembers of the net folder between two passes. */
export interface Memory {
  primary: PrimaryMemory
  /** Files we were in before another one got the role: our entry is taken out of them. */
  readonly former: Set<string>
  /** Files of our own under earlier options: on their way out, so never the primary. */
  readonly retired: Set<string>
  /** Files of our own that were seen to be ours, so that they may be put right whatever becomes of them. */
  readonly ours: Set<string>
  /** The permissions each file had when it was last in order. */
  readonly modes: Map<string, { readonly ino: number; readonly mode: number }>
  /** Files of others that we replaced. */
  readonly displaced: DisplacedFiles
}

/** Nothing remembered. */
export function newMemory(): Memory {
  return {
    primary: {},
    former: new Set(),
    retired: new Set(),
    ours: new Set(),
    modes: new Map(),
    displaced: displacedFiles(),
  }
}

/** A copy to plan with: a dry run leaves no trace. */
export function copyMemory(memory: Memory): Memory {
  return {
    primary: memory.primary,
    former: new Set(memory.former),
    retired: new Set(memory.retired),
    ours: new Set(memory.ours),
    modes: new Map(memory.modes),
    displaced: memory.displaced,
  }
}
