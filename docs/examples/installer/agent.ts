import { type InstallerOptions, installer } from '@cni/installer'

/** Keeps the plugin tcp-redirect installed on this node until the AbortSignal aborts, then removes the plugin. */
export async function agent(paths: Pick<InstallerOptions, 'netDir' | 'binDirs' | 'sourceDir'>, signal: AbortSignal) {
  const redirect = installer({
    // configuration that goes into the network list; `type` is the name of the plugin's executable
    plugin: { type: 'tcp-redirect', port: 15001, proxy_uid: 1337 },
    observe: (event) => process.stderr.write(`${JSON.stringify(event)}\n`),
    ...paths,
  })
  // installs the plugin, watches its files and repairs them until the AbortSignal aborts; never rejects
  await redirect.run({ signal })
  return await redirect.uninstall()
}
