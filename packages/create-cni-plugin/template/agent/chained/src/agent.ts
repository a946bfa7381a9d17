import { type InstallerOptions, installer } from '@cni/installer'
import { example } from './rules.ts'

/** The plugin's entry in the list of a node. Its type is the name of the executable. */
export const ENTRY = { type: '@NAME@', ...example }

/** Keeps the plugin installed on this node until the signal aborts, then removes it. */
export async function agent(paths: Pick<InstallerOptions, 'netDir' | 'binDirs' | 'sourceDir'>, signal: AbortSignal) {
  const plugin = installer({
    plugin: ENTRY,
    observe: (event) => process.stderr.write(`${JSON.stringify(event)}\n`),
    ...paths,
  })
  await plugin.run({ signal }) // installs, watches, repairs; never rejects
  return await plugin.uninstall()
}
