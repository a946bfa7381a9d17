import { type InstallerOptions, installer } from '@cni/installer'

/** Keeps tcp-redirect on this node until the signal, then takes it off again. */
export async function agent(paths: Pick<InstallerOptions, 'netDir' | 'binDirs' | 'sourceDir'>, signal: AbortSignal) {
  const redirect = installer({
    plugin: { type: 'tcp-redirect', port: 15001, proxy_uid: 1337 }, // the entry; its type is the binary's name
    observe: (event) => process.stderr.write(`${JSON.stringify(event)}\n`),
    ...paths,
  })
  await redirect.run({ signal }) // installs, watches, heals; never rejects
  return await redirect.uninstall()
}
