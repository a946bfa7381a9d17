import type { InstallerOptions } from '@cni/installer'
import { inFolder } from '../../in-folder.ts'
import { attachmentsFolder } from '../../state/folder.ts'
import type { Values } from './variables.ts'

/** Where the chart mounts folders of the node. */
const HOST = '/host'

/** The folders in which `uninstall` looks for pods that still need the plugin, here and on the node. */
export function neededFolders(
  values: Pick<Values, 'mountedCniNetDir' | 'cniNetDir' | 'mountedCniCacheDir' | 'cniCacheDir' | 'cniAgentRunDir'>,
): Required<Pick<InstallerOptions, 'recordDirs' | 'cacheDirs' | 'nodePaths'>> {
  const { mountedCniNetDir: net, mountedCniCacheDir, cniAgentRunDir } = values
  const cache = mountedCniCacheDir || `${net.startsWith(`${HOST}/`) ? HOST : ''}/var/lib/cni`
  const mounts = [
    [net, values.cniNetDir || onNode(net)],
    [cache, values.cniCacheDir || onNode(cache)],
  ] as const
  return {
    recordDirs: [attachmentsFolder(cniAgentRunDir)],
    // Multus keeps the results of the networks that it attaches in a cache of its own
    cacheDirs: [cache, inFolder(cache, 'multus')],
    nodePaths: Object.fromEntries(mounts.filter(([here, there]) => here !== there)),
  }
}

const onNode = (path: string): string => (path.startsWith(`${HOST}/`) ? path.slice(HOST.length) : path)
