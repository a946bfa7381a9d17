import type { Log } from '@cni/skel'

/** Log that a decision about an ADD writes to. The log of every CNI call has this type. */
export type DecisionLog = Omit<Log, 'bind'>
