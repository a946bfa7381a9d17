import type { PrimaryMemory } from '../conf/choose-primary.ts'
import { type DisplacedFiles, displacedFiles } from '../files/displaced.ts'

/** State of the net folder between passes. */
export interface Memory {
  primary: PrimaryMemory
  /** Former primaries, from which our entry is removed. */
  readonly former: Set<string>
  /** Our own files under earlier options. They will be removed, and are never the primary. */
  readonly retired: Set<string>
  /** Files that were recognized as ours, and may be healed whatever their content. */
  readonly ours: Set<string>
  /** Permissions of each file when it was last in order. */
  readonly modes: Map<string, { readonly ino: number; readonly mode: number }>
  /** Files of other programs that we have replaced. */
  readonly displaced: DisplacedFiles
}

/** Creates an empty memory. */
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

/** Copies the memory for a dry run, which must not change it. */
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
