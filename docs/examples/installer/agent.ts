import { type InstallerOptions, installer } from '@cni/installer'

/** Keeps tcp-redirect installed on this node until the signal aborts, then removes it. */
export async function agent(paths: Pick<InstallerOptions, 'netDir' | 'binDirs' | 'sourceDir'>, signal: AbortSignal) {
  const redirect = installer({
    plugin: { type: 'tcp-redirect', port: 15001, proxy_uid: 1337 }, // the entry; its type is the name of the executable
    observe: (event) => process.stderr.write(`${JSON.stringify(event)}\n`),
    ...paths,
  })
  await redirect.run({ signal }) // installs, watches, repairs; never rejects
  return await redirect.uninstall()
}
