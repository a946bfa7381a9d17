import { type InstallerOptions, installer } from '@cni/installer'
import { example } from './rules.ts'

/** The plugin's configuration, the only one in this agent's network list. `type` is the name of the executable. */
export const ENTRY = {
  type: '@NAME@',
  ...example,
  ipam: { type: 'host-local', ranges: [[{ subnet: process.env.POD_SUBNET ?? '10.42.0.0/24' }]] },
}

/** Keeps the plugin and its network list installed on this node until the AbortSignal aborts, then removes both. */
export async function agent(paths: Pick<InstallerOptions, 'netDir' | 'binDirs' | 'sourceDir'>, signal: AbortSignal) {
  const plugin = installer({
    plugin: ENTRY,
    mode: 'standalone',
    observe: (event) => process.stderr.write(`${JSON.stringify(event)}\n`),
    ...paths,
  })
  // installs the plugin, watches its files and repairs them until the AbortSignal aborts; never rejects
  await plugin.run({ signal })
  return await plugin.uninstall()
}
