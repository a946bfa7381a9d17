import type { PrimaryMemory } from '../conf/choose-primary.ts'
import { type DisplacedFiles, displacedFiles } from '../files/displaced.ts'

/** Facts about the CNI network folder that the installer keeps from one check of all files to the next. */
export interface Memory {
  primary: PrimaryMemory
  /** Names of former primary network configurations, from which the installer removes the plugin. */
  readonly former: Set<string>
  /** Files that the installer wrote for earlier options and will remove. They are never the primary configuration. */
  readonly retired: Set<string>
  /** Paths of the installer's own files. The installer may replace these files even if they have changed. */
  readonly ours: Set<string>
  /** Permissions that each file had when it was last correct. */
  readonly modes: Map<string, { readonly ino: number; readonly mode: number }>
  /** Other programs' files that the installer has replaced. The installer still holds the old files open. */
  readonly displaced: DisplacedFiles
}

/** Creates the state of a CNI network folder that the installer has not read yet. */
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

/** Copies the stored facts about the CNI network folder. A dry run changes only the copy. */
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
