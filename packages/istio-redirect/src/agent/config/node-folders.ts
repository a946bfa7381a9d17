import type { InstallerOptions } from '@cni/installer'
import { inFolder } from '../../in-folder.ts'
import { attachmentsFolder } from '../../state/folder.ts'
import type { Values } from './variables.ts'

/** Folder at which the Helm chart mounts the container runtimes' cache. */
const MOUNTED_CACHE = '/host/var/lib/cni'

/** Folders in which `uninstall` searches for pods that still need the plugin. Omits a folder whose setting is empty. */
export function neededFolders({
  mountedCniNetDir,
  cniNetDir,
  mountedCniCacheDir: cache,
  cniCacheDir,
  cniAgentRunDir,
}: Values): Pick<InstallerOptions, 'recordDirs' | 'cacheDirs' | 'nodePaths'> {
  return {
    recordDirs: [attachmentsFolder(cniAgentRunDir)],
    // Adds the subfolder `multus` of the cache, in which Multus stores the CNI results of its networks.
    ...(cache === '' ? {} : { cacheDirs: [cache, inFolder(cache, 'multus')] }),
    nodePaths: {
      ...(cniNetDir === '' ? {} : { [mountedCniNetDir]: cniNetDir }),
      ...(cniCacheDir === '' ? {} : { [cache === '' ? MOUNTED_CACHE : cache]: cniCacheDir }),
    },
  }
}
