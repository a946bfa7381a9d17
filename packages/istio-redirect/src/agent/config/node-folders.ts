import type { InstallerOptions } from '@cni/installer'
import { inFolder } from '../../in-folder.ts'
import { attachmentsFolder } from '../../state/folder.ts'
import type { Values } from './variables.ts'

/** Where the chart mounts the runtimes' cache. */
const MOUNTED_CACHE = '/host/var/lib/cni'

/** The folders in which `uninstall` looks for pods that still need the plugin, as far as the values name them. */
export function neededFolders({
  mountedCniNetDir,
  cniNetDir,
  mountedCniCacheDir: cache,
  cniCacheDir,
  cniAgentRunDir,
}: Values): Pick<InstallerOptions, 'recordDirs' | 'cacheDirs' | 'nodePaths'> {
  return {
    recordDirs: [attachmentsFolder(cniAgentRunDir)],
    // Multus keeps the results of the networks that it attaches in a cache of its own
    ...(cache === '' ? {} : { cacheDirs: [cache, inFolder(cache, 'multus')] }),
    nodePaths: {
      ...(cniNetDir === '' ? {} : { [mountedCniNetDir]: cniNetDir }),
      ...(cniCacheDir === '' ? {} : { [cache === '' ? MOUNTED_CACHE : cache]: cniCacheDir }),
    },
  }
}
