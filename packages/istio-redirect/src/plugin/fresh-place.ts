import type { Netns } from '@cni/netns/handle'
import type { UndoStep } from '@cni/skel'
import type { ServedTables } from './open-tables.ts'

/** A namespace that has no rules yet, and where its record goes. */
export interface FreshPlace {
  readonly netns: Netns
  readonly runDir: string
  readonly tables: ServedTables
  readonly undo: (step: UndoStep) => void
}
