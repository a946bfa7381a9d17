import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { markerPath, markerText, type NeedFolders } from '@cni/skel'

/** Folders that simulate a node with an uninstalled plugin that may still be needed. */
export interface UninstalledNode {
  readonly bin: string
  readonly file: string
  readonly marker: string
  readonly folders: NeedFolders
  /** Writes an ADD result to the cache as a container runtime does. */
  cache(containerID: string, config: object, ifName?: string): string
  /** Writes the record of an attachment of the plugin. */
  record(digit: string): string
  /** Writes a network configuration to the simulated node. */
  configure(name: string, document: object): void
}

/** Plugin list (conflist) that contains the given plugin types. */
export const listOf = (...types: string[]): object => ({
  cniVersion: '1.0.0',
  name: 'pods',
  plugins: types.map((type) => ({ type })),
})

/** Creates the folders of the simulated node below `root`, with the plugin's executable and its marker file. */
export function uninstalledNode(root: string, type = 'tag'): UninstalledNode {
  const folder = (name: string): string => {
    mkdirSync(join(root, name), { recursive: true })
    return join(root, name)
  }
  const [bin, records, results, net] = [folder('bin'), folder('records'), folder('results'), folder('net')]
  const file = join(bin, type)
  const folders = { records: [records], results: [results], configurations: [net] }
  writeFileSync(file, 'program', { mode: 0o755 })
  writeFileSync(markerPath(file), markerText(file, folders))
  const write = (path: string, text: string): string => {
    writeFileSync(path, text, { mode: 0o600 })
    return path
  }
  return {
    bin,
    file,
    marker: markerPath(file),
    folders,
    cache: (containerId, config, ifName = 'eth0') =>
      write(
        join(results, `pods-${containerId}-${ifName}`),
        JSON.stringify({
          kind: 'cniCacheV1',
          containerId,
          config: Buffer.from(JSON.stringify(config)).toString('base64'),
          ifName,
          networkName: 'pods',
        }),
      ),
    record: (digit) => write(join(records, `${digit.repeat(32)}.json`), '{}'),
    configure: (name, document) => void write(join(net, name), JSON.stringify(document)),
  }
}
