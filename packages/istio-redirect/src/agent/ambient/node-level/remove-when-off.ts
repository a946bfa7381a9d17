import { existsSync } from 'node:fs'
import type { AgentConfig } from '../../config/agent-config.ts'
import { backendFile } from '../../config/backend-file.ts'
import type { ScopedLog } from '../../shared/deps.ts'
import { hostRootOf } from '../run-options.ts'
import { nodeLevelMark } from './node-level-mark.ts'

type Settings = Pick<AgentConfig, 'values'>

/** Returns the path of node-level redirection's mark file, in the run directory of the settings. */
export const markFileOf = ({ values }: Settings): string =>
  nodeLevelMark({ backendFile: backendFile(values.cniAgentRunDir) })

/**
 * Removes node-level redirection for an agent whose settings turn ambient mode off. Loads the code only if an earlier
 * agent has left a mark file on the node. Never rejects.
 */
export async function removeWhenOff(settings: Settings, log: ScopedLog): Promise<void> {
  if (!existsSync(markFileOf(settings))) return
  const { removeFromNode } = await import('./obsolete-redirection.ts')
  const { forceIptablesBinary: forced, allowSwitchToHostNs: switchToHost, cniAgentRunDir } = settings.values
  const forceIptablesBinary = forced === 'legacy' || forced === 'nft' ? forced : ''
  const node = { backendFile: backendFile(cniAgentRunDir), forceIptablesBinary, switchToHost } as const
  await removeFromNode({ ...node, hostRoot: hostRootOf() }, log)
}
