import type { InstallerOptions } from '@cni/installer'
import { inFolder } from '../../in-folder.ts'
import { attachmentsFolder } from '../../state/folder.ts'
import type { Values } from './variables.ts'

/** Mount point of the runtimes' cache in the chart. */
const MOUNTED_CACHE = '/host/var/lib/cni'

/** Folders in which `uninstall` searches for pods that still need the plugin. Unset folders are omitted. */
export function neededFolders({
  mountedCniNetDir,
  cniNetDir,
  mountedCniCacheDir: cache,
  cniCacheDir,
  cniAgentRunDir,
}: Values): Pick<InstallerOptions, 'recordDirs' | 'cacheDirs' | 'nodePaths'> {
  return {
    recordDirs: [attachmentsFolder(cniAgentRunDir)],
    // Multus caches the results of its networks in a folder of its own.
    ...(cache === '' ? {} : { cacheDirs: [cache, inFolder(cache, 'multus')] }),
    nodePaths: {
      ...(cniNetDir === '' ? {} : { [mountedCniNetDir]: cniNetDir }),
      ...(cniCacheDir === '' ? {} : { [cache === '' ? MOUNTED_CACHE : cache]: cniCacheDir }),
    },
  }
}
