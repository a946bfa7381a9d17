import { type InstallerOptions, installer } from '@cni/installer'
import { example } from './rules.ts'

/** The only plugin of the network that this agent writes; its type is the name of the file. */
export const ENTRY = {
  type: '@NAME@',
  ...example,
  ipam: { type: 'host-local', ranges: [[{ subnet: process.env.POD_SUBNET ?? '10.42.0.0/24' }]] },
}

/** Keeps the plugin and its network on this node until the signal, then takes them off again. */
export async function agent(paths: Pick<InstallerOptions, 'netDir' | 'binDirs' | 'sourceDir'>, signal: AbortSignal) {
  const plugin = installer({
    plugin: ENTRY,
    mode: 'standalone',
    observe: (event) => process.stderr.write(`${JSON.stringify(event)}\n`),
    ...paths,
  })
  await plugin.run({ signal }) // installs, watches, heals; never rejects
  return await plugin.uninstall()
}
