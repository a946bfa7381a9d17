import { backendFile } from '../../config/backend-file.ts'
import type { Values } from '../../config/variables.ts'
import type { ScopedLog } from '../../part/services.ts'
import { hostRootOf } from '../run-options.ts'
import { removeFromNode } from './left-behind.ts'

/** Runs {@link removeFromNode} for an agent whose settings turn ambient mode off. Never rejects. */
export async function removeFromNodeOf(values: Values, log: ScopedLog): Promise<void> {
  const { forceIptablesBinary: forced, allowSwitchToHostNs: switchToHost } = values
  const forceIptablesBinary = forced === 'legacy' || forced === 'nft' ? forced : ''
  const place = { backendFile: backendFile(values.cniAgentRunDir), forceIptablesBinary, switchToHost } as const
  await removeFromNode({ ...place, hostRoot: hostRootOf() }, log)
}
