import { type InstallerOptions, installer } from '@cni/installer'
import { example } from './rules.ts'

/** The plugin's configuration in the node's network list. `type` is the name of the plugin's executable. */
export const ENTRY = { type: '@NAME@', ...example }

/** Keeps the plugin installed on this node until the AbortSignal aborts, then removes it. */
export async function agent(paths: Pick<InstallerOptions, 'netDir' | 'binDirs' | 'sourceDir'>, signal: AbortSignal) {
  const plugin = installer({
    plugin: ENTRY,
    observe: (event) => process.stderr.write(`${JSON.stringify(event)}\n`),
    ...paths,
  })
  // installs the plugin, watches its files and repairs them until the AbortSignal aborts; never rejects
  await plugin.run({ signal })
  return await plugin.uninstall()
}
