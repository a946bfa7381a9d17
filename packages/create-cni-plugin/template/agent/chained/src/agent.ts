import { type InstallerOptions, installer } from '@cni/installer'
import { example } from './rules.ts'

/** The plugin's entry in the list of a node; its type is the name of the file. */
export const ENTRY = { type: '@NAME@', ...example }

/** Keeps the plugin on this node until the signal, then takes it off again. */
export async function agent(paths: Pick<InstallerOptions, 'netDir' | 'binDirs' | 'sourceDir'>, signal: AbortSignal) {
  const plugin = installer({
    plugin: ENTRY,
    observe: (event) => process.stderr.write(`${JSON.stringify(event)}\n`),
    ...paths,
  })
  await plugin.run({ signal }) // installs, watches, heals; never rejects
  return await plugin.uninstall()
}
