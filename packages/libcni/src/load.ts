import { readdirSync, readFileSync } from 'node:fs'
import { dirname, extname, join } from 'node:path'
import {
  assertPluginConf,
  type Conflist,
  errnoOf,
  errorLine,
  goStringify,
  type PluginConf,
  parseConflist,
  parseJson,
} from '@cni/types'
import { RuntimeError } from './errors.ts'
import { type NetworkList, parseNetworkList } from './network-list.ts'

/**
 * Loads the network with the given name from a folder. Takes the first matching `*.conflist`, sorted by file name.
 * Without a match, wraps the first matching `*.conf` or `*.json` file in a list.
 *
 * @param options - `skipInvalid` skips invalid files, as runtimes do, and reports them to `onInvalid`.
 * @throws {@link RuntimeError} `NO_CONFIG`, `NOT_FOUND`, or `INVALID_CONFIG` naming the file.
 *
 * @example
 * ```ts
 * const pods = loadConflist('/etc/cni/net.d', 'pods')
 * ```
 */
export function loadConflist(
  dir: string,
  name: string,
  options: { readonly skipInvalid?: boolean; readonly onInvalid?: (file: string, error: unknown) => void } = {},
): NetworkList {
  const lists = confFiles(dir, ['.conflist'])
  const singles = confFiles(dir, ['.conf', '.json'])
  if (lists.length + singles.length === 0) {
    throw new RuntimeError('NO_CONFIG', `no net configurations found in ${dir}`)
  }
  const names: string[] = []
  for (const file of lists) {
    const list = attempt(file, loadConflistFile, options)
    if (list?.conflist.name === name) return list
    if (list !== undefined) names.push(list.conflist.name)
  }
  for (const file of singles) {
    const plugin = attempt(file, loadPluginFile, options)
    if (plugin?.name === name) return { ...naming(file, () => listOfOne(plugin)), file }
    if (typeof plugin?.name === 'string') names.push(plugin.name)
  }
  throw new RuntimeError('NOT_FOUND', `no net configuration with name "${name}" in ${dir}`, {
    hint: names.length === 0 ? undefined : `there are: ${names.join(', ')}`,
  })
}

/**
 * Loads a conflist file, and more plugins from the network's folder. Loads no folder if the list has
 * `loadOnlyInlinedPlugins`.
 *
 * @throws {@link RuntimeError} `INVALID_CONFIG` naming the file.
 */
export function loadConflistFile(file: string): NetworkList {
  const text = read(file)
  const inlined = naming(file, () => parseConflist(text))
  const conflist = inlined.loadOnlyInlinedPlugins ? inlined : withFolder(inlined, file)
  if (conflist.plugins.length > 0) return { conflist, text, file }
  throw new RuntimeError('INVALID_CONFIG', `${file}: no plugin configs found`)
}

/** Configuration files with one of the given extensions in a folder. */
export function confFiles(dir: string, extensions: readonly string[]): string[] {
  try {
    const entries = readdirSync(dir, { withFileTypes: true })
    const files = entries.filter((entry) => !entry.isDirectory() && extensions.includes(extname(entry.name)))
    return files.map((entry) => join(dir, entry.name)).sort()
  } catch (error) {
    if (errnoOf(error) === 'ENOENT') return []
    throw error
  }
}

function attempt<T>(
  file: string,
  load: (file: string) => T,
  options: NonNullable<Parameters<typeof loadConflist>[2]>,
): T | undefined {
  try {
    return load(file)
  } catch (error) {
    if (!options.skipInvalid) throw error
    options.onInvalid?.(file, error)
    return undefined
  }
}

function loadPluginFile(file: string): PluginConf {
  return naming(file, () => {
    const what = 'error parsing configuration'
    const plugin = parseJson(read(file), what)
    assertPluginConf(plugin, what)
    return plugin
  })
}

/** Wraps the configuration of a single plugin in a list, with the configuration's name and version. */
function listOfOne(plugin: PluginConf): NetworkList {
  const { name, cniVersion } = plugin
  return parseNetworkList(goStringify({ name, cniVersion, plugins: [plugin] }, { sortKeys: true }))
}

function withFolder(conflist: Conflist, file: string): Conflist {
  // Skips a network name such as `..`, because it would lead to another folder.
  if (conflist.name === '' || conflist.name === '.' || conflist.name === '..' || conflist.name.includes('/')) {
    return conflist
  }
  const files = confFiles(join(dirname(file), conflist.name), ['.conf'])
  const plugins = files.map(loadPluginFile)
  return plugins.length === 0 ? conflist : { ...conflist, plugins: [...conflist.plugins, ...plugins] }
}

function read(file: string): string {
  try {
    return new TextDecoder('utf-8', { ignoreBOM: true }).decode(readFileSync(file))
  } catch (cause) {
    throw new RuntimeError('INVALID_CONFIG', `error reading ${file}: ${errorLine(cause)}`, { cause })
  }
}

/** Adds the configuration file's name to errors of the parser. */
function naming<T>(file: string, parse: () => T): T {
  try {
    return parse()
  } catch (cause) {
    throw new RuntimeError('INVALID_CONFIG', `${file}: ${errorLine(cause)}`, { cause })
  }
}
