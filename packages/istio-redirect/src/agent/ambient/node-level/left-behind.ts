import { existsSync, rmSync } from 'node:fs'
import { dirname } from 'node:path'
import { writeFileAtomic } from '@cni/host'
import type { NetnsTarget } from '@cni/netns'
import { messageOf } from '@cni/types'
import { inFolder } from '../../../in-folder.ts'
import type { ScopedLog } from '../../services.ts'
import type { AmbientConfig } from '../ambient-config.ts'
import type { NodeLevelConfig } from './node-level-config.ts'

/** Remembers in the run directory that traffic is redirected on the node: for an agent that is told to do it in pods. */
export function markNodeLevel(config: AmbientConfig, { mode }: Pick<NodeLevelConfig, 'mode'>): void {
  writeFileAtomic(markOf(config), `${JSON.stringify({ mode })}\n`, { mode: 0o600 })
}

/** Nothing of it is left. */
export const unmarkNodeLevel = (config: AmbientConfig): void => rmSync(markOf(config), { force: true })

/** Takes out what an agent left for the next one, which redirects in pods; nothing where there is no mark. Never rejects. */
export async function removeLeftBehind(config: AmbientConfig, host: NetnsTarget, log: ScopedLog): Promise<void> {
  if (!existsSync(markOf(config))) return
  try {
    const { chooseBackEnd } = await import('../back-end.ts')
    const { forceIptablesBinary: forced, backEndFile: stateFile } = config
    const { backEnd } = await chooseBackEnd({ nativeNftables: false, forced, ipv6: false }, { netns: host, stateFile })
    if (backEnd === 'native') return
    const { iptablesSide } = await import('../../../node-level/iptables-side.ts')
    await iptablesSide({ netns: host, hostIp: '0.0.0.0', tunnel: 'geneve', backend: backEnd }).stop()
    unmarkNodeLevel(config)
    log.info('what redirected traffic on the node is taken out: it is redirected in pods now')
  } catch (error) {
    log.error(`what redirected traffic on the node cannot be taken out, and goes on: ${messageOf(error)}`)
  }
}

// internal

const markOf = ({ backEndFile }: AmbientConfig): string => inFolder(dirname(backEndFile), 'ambient-node-level.json')
