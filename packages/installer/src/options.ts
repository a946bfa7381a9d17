import { isAbsolute } from 'node:path'
import { goStringify, messageOf, type PluginConf } from '@cni/types'
import { HOLD_MS } from './conf/choose-primary.ts'
import { conflistName, isConfName, standaloneName } from './conf/conf-name.ts'
import { isServerUrl } from './conf/kubeconfig.ts'
import type { RuntimeReading } from './conf/runtime-readings.ts'
import type { InstallEvent } from './events.ts'
import { InstallError } from './install-error.ts'

/** What is installed, and where. */
export interface InstallerOptions {
  /** The plugin's entry; its `type` is the name of its binary. A `cniVersion` in it is for `standalone` only. */
  readonly plugin: PluginConf
  /** The folder of network configurations, such as `/etc/cni/net.d`. */
  readonly netDir: string
  /** Folders the binaries are copied to, such as `/opt/cni/bin`. */
  readonly binDirs?: readonly string[] | undefined
  /** The folder whose files are copied; without it, binaries are not our business. */
  readonly sourceDir?: string | undefined
  /**
   * How the plugin gets into the network configuration: at the end of the primary list, alone in a file, or at the end of
   * a copy of the primary that sorts before it (`owned`: a file name). Default: `chained`.
   */
  readonly mode?: 'chained' | 'standalone' | { readonly owned: string } | undefined
  /** The primary's file name, or in standalone mode ours. Default: the first valid one, or `YYY-<type>.conf`. */
  readonly confName?: string | undefined
  /** Keep the first primary found, even when a later file sorts before it. Default: follow. */
  readonly pin?: boolean | undefined
  /** The mode of a file of our own (standalone, owned). A chained one keeps its own. Default: 0o600. */
  readonly confMode?: number | undefined
  /** A kubeconfig for the plugin, made from the files of a service account. */
  readonly kubeconfig?:
    | {
        readonly path: string
        /** The API server, such as `https://10.96.0.1:443`. */
        readonly server: string
        readonly tokenFile: string
        readonly caFile?: string | undefined
        readonly skipTls?: boolean | undefined
        /** The user's name. Default: the plugin's type. */
        readonly user?: string | undefined
        /** Default: 0o600. */
        readonly mode?: number | undefined
      }
    | undefined
  /**
   * The node's container runtime, where it is known. Without it, one that runs the plugin is enough to be ready.
   * `containerd` deletes pods with the list of today, so that its pods do not need an uninstalled plugin.
   */
  readonly runtime?: RuntimeReading['runtime'] | undefined
  /**
   * A file that all installers of this plugin on the node share, such as `/var/run/mesh/agent.json`: while `run` is at
   * work, the one that started last writes, and the others wait until it is gone. Default: none, they revert each other.
   */
  readonly claimFile?: string | undefined
  /**
   * Folders with the records of the plugin's attachments: while there is one, `uninstall` leaves the plugin's file.
   * Default: where `@cni/skel` keeps them, `/run/cni/<type>/attachments` and `/run/cni/<type>`; below `/host` if `netDir` is.
   */
  readonly recordDirs?: readonly string[] | undefined
  /**
   * Folders in whose `results` runtimes cache what they need to delete an attachment: while a result names the plugin,
   * `uninstall` leaves the plugin's file. Those of containerd, in `/var/lib/cni`, do not count where `runtime` says that it
   * is containerd. Default: `/var/lib/cni` and, for Multus, `/var/lib/cni/multus`; below `/host` if `netDir` is.
   */
  readonly cacheDirs?: readonly string[] | undefined
  /**
   * The paths on the node of folders that are mounted here at other paths, such as
   * `{ '/host/etc/cni/net.d': '/etc/cni/net.d' }`: the plugin looks there. A mount that is missing is reported. Default: of
   * a path below `/host` the same path without it.
   */
  readonly nodePaths?: Readonly<Record<string, string>> | undefined
  /**
   * Called with the source, open, once its bytes were copied or compared and will not be read again soon, such as
   * `dropPageCache` of `@cni/netns/sys`: a container is charged for what it leaves in the page cache. The installed copy
   * stays there, for every pod starts it. Default: nothing.
   */
  readonly uncache?: ((fd: number) => void) | undefined
  /** Told of everything that happens; what it throws is ignored. */
  readonly observe?: ((event: InstallEvent) => void) | undefined
  /** How often all is looked at without any event. Default: 10 s. */
  readonly recheckMs?: number | undefined
  /** How long a broken primary keeps its role. Default: 2 s. */
  readonly holdMs?: number | undefined
  /** The time between rewrites of the same file after the first three. Default: 200 ms, so five a second. */
  readonly rewriteMs?: number | undefined
}

/** Options with their defaults, checked. */
export interface Settings extends InstallerOptions {
  readonly type: string
  readonly binDirs: readonly string[]
  readonly cacheDirs: readonly string[]
  readonly nodePaths: Readonly<Record<string, string>>
  /** The folder in which `@cni/skel` keeps the records of all plugins. */
  readonly recordsRoot: string
  readonly mode: NonNullable<InstallerOptions['mode']>
  readonly confMode: number
  readonly recheckMs: number
  readonly holdMs: number
  readonly rewriteMs: number
  /** The file that is all ours, in standalone and owned mode. */
  readonly ownFile: string | undefined
}

/**
 * Options with their defaults.
 *
 * @throws {@link InstallError} `INVALID_OPTIONS` for what could never work: it would be rewritten for ever.
 */
export function toSettings(options: InstallerOptions): Settings {
  const { plugin, mode = 'chained', confName, kubeconfig } = options
  const type: unknown = plugin.type
  if (typeof type !== 'string' || !/^[A-Za-z0-9][\w.-]*$/.test(type)) {
    throw invalid(`plugin type ${JSON.stringify(type)} must be the name of a file in the binary folder`)
  }
  try {
    goStringify(plugin)
  } catch (cause) {
    throw invalid(`the entry of plugin ${type} is not JSON: ${messageOf(cause)}`, cause)
  }
  for (const [what, path] of paths(options)) {
    if (!isAbsolute(path) || path.includes('\0'))
      throw invalid(`${what} ${JSON.stringify(path)} must be an absolute path`)
  }
  if (confName !== undefined) assertFileName('confName', confName)
  if (typeof mode === 'object') assertFileName('owned file name', mode.owned)
  if (kubeconfig !== undefined && !isServerUrl(kubeconfig.server)) {
    throw invalid(`kubeconfig server ${JSON.stringify(kubeconfig.server)} must be a URL`)
  }
  const { confMode = 0o600, recheckMs = 10_000, holdMs = HOLD_MS, rewriteMs = 200 } = options
  const times = { confMode, recheckMs, holdMs, rewriteMs }
  for (const [what, value] of Object.entries(times)) {
    if (!Number.isInteger(value) || value < 0) throw invalid(`${what} ${value} must be a whole number`)
  }
  const { binDirs = [], netDir } = options
  const host = isOfHost(netDir) ? HOST : ''
  const { cacheDirs = CACHE_DIRS.map((path) => `${host}${path}`), recordDirs } = options
  const recordsRoot = `${host}/run/cni`
  const mounted = [netDir, ...cacheDirs, ...(recordDirs ?? [recordsRoot])]
  const settings = {
    ...options,
    ...times,
    type,
    mode,
    binDirs: [...new Set(binDirs)],
    cacheDirs,
    recordsRoot,
    nodePaths: { ...hostPaths(mounted), ...options.nodePaths },
    ownFile: ownFile(mode, confName, type),
  }
  if (typeof mode === 'object' && confName !== undefined && confName === settings.ownFile) {
    throw invalid(`confName ${JSON.stringify(confName)} is the owned file itself: name the primary, or leave it out`)
  }
  return settings
}

/** The cache of libcni, which containerd and CRI-O have, and that of Multus for the networks it attaches. */
const CACHE_DIRS = ['/var/lib/cni', '/var/lib/cni/multus']

/** Where agents in a container mount folders of the node. */
const HOST = '/host'

const isOfHost = (path: string): boolean => path.startsWith(`${HOST}/`)

/** The paths on the node of folders below {@link HOST}; of nested folders only the outer one is a mount. */
function hostPaths(paths: readonly string[]): Record<string, string> {
  const mounts = paths.filter((path) => isOfHost(path) && !paths.some((other) => path.startsWith(`${other}/`)))
  return Object.fromEntries(mounts.map((path) => [path, path.slice(HOST.length)]))
}

/** A list lives in a `.conflist`: an owned name that ends in `.conf` becomes one. */
function ownFile(mode: Settings['mode'], confName: string | undefined, type: string): string | undefined {
  if (mode === 'chained') return undefined
  return mode === 'standalone' ? (confName ?? standaloneName(type)) : conflistName(mode.owned)
}

function paths(options: InstallerOptions): [string, string][] {
  const {
    netDir,
    binDirs = [],
    sourceDir,
    kubeconfig,
    claimFile,
    recordDirs = [],
    cacheDirs = [],
    nodePaths = {},
  } = options
  const all: [string, string | undefined][] = [
    ['netDir', netDir],
    ...binDirs.map((one): [string, string] => ['binDirs', one]),
    ['sourceDir', sourceDir],
    ['kubeconfig path', kubeconfig?.path],
    ['token file', kubeconfig?.tokenFile],
    ['CA file', kubeconfig?.caFile],
    ['claimFile', claimFile],
    ...recordDirs.map((one): [string, string] => ['recordDirs', one]),
    ...cacheDirs.map((one): [string, string] => ['cacheDirs', one]),
    ...Object.entries(nodePaths)
      .flat()
      .map((one): [string, string] => ['nodePaths', one]),
  ]
  return all.flatMap(([what, path]) => (path === undefined ? [] : [[what, path]]))
}

function assertFileName(what: string, name: string): void {
  if (/[/\0]/.test(name) || name.startsWith('.')) throw invalid(`${what} ${JSON.stringify(name)} must be a file name`)
  if (isConfName(name)) return
  throw invalid(`${what} ${JSON.stringify(name)} must end in .conf, .conflist or .json: runtimes read no other file`)
}

function invalid(message: string, cause?: unknown): InstallError {
  return new InstallError('INVALID_OPTIONS', message, cause === undefined ? {} : { cause })
}
