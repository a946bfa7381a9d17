import type { CaptureConfig } from '@cni/istio-rules'
import { quote } from '@cni/types'
import type { ToolIo } from '../io.ts'
import { idByName } from './account-files.ts'

/** Replaces user and group names in owner rules by IDs, because nf_tables only knows IDs. */
export function withOwnerIds({ system }: ToolIo, config: CaptureConfig): CaptureConfig {
  const idOf = (path: '/etc/passwd' | '/etc/group') => (owner: number | string) => {
    if (typeof owner === 'number' || /^\d/.test(owner)) return owner
    const id = idByName(system, path, owner)
    if (id === undefined) throw new Error(`${path} has no ${quote(owner)}: write its id`)
    return id
  }
  return {
    ...config,
    proxyUIDs: config.proxyUIDs.map(idOf('/etc/passwd')),
    proxyGIDs: config.proxyGIDs.map(idOf('/etc/group')),
    ownerGroups: { ...config.ownerGroups, groups: config.ownerGroups.groups.map(idOf('/etc/group')) },
  }
}
