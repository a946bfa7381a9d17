import { isAbsolute } from 'node:path'
import { goStringify, messageOf, type PluginConf } from '@cni/types'
import { HOLD_MS } from './conf/choose-primary.ts'
import { conflistName, isConfName, standaloneName } from './conf/conf-name.ts'
import { isServerUrl } from './conf/kubeconfig.ts'
import type { RuntimeReading } from './conf/runtime-readings.ts'
import type { InstallEvent } from './events.ts'
import { InstallError } from './install-error.ts'

/** Options of an installer, which keeps a CNI plugin installed on a node. */
export interface InstallerOptions {
  /**
   * The plugin's JSON object for the network configuration. `type` is also the name of the plugin's binary.
   * `cniVersion` is used in `standalone` mode only.
   */
  readonly plugin: PluginConf
  /** Folder of network configurations, such as `/etc/cni/net.d`. */
  readonly netDir: string
  /** Folders on the node to which the installer copies the binaries, such as `/opt/cni/bin`. */
  readonly binDirs?: readonly string[] | undefined
  /** Folder whose files the installer copies to `binDirs`. If omitted, the installer copies no binaries. */
  readonly sourceDir?: string | undefined
  /**
   * Position of the plugin in the network configuration. Default: `chained`.
   * - `chained`: last plugin of the node's primary network configuration.
   * - `standalone`: the only plugin of a file.
   * - `{ owned: name }`: last plugin of a copy of the primary network configuration. The copy's file name `name` must
   *   sort before the original's name.
   */
  readonly mode?: 'chained' | 'standalone' | { readonly owned: string } | undefined
  /**
   * File name of the primary network configuration (default: the first valid file). In standalone mode, file name of
   * the plugin's own configuration (default: `YYY-<type>.conf`).
   */
  readonly confName?: string | undefined
  /**
   * True if the chosen primary network configuration stays chosen. Default: false, so a new file that sorts first
   * becomes the primary.
   */
  readonly pin?: boolean | undefined
  /** Permissions of the installer's own configuration file in `standalone` and `owned` mode. Default: 0o600. */
  readonly confMode?: number | undefined
  /** Kubeconfig for the plugin. The installer writes it from the token and CA files of a service account. */
  readonly kubeconfig?:
    | {
        readonly path: string
        /** URL of the API server, such as `https://10.96.0.1:443`. */
        readonly server: string
        readonly tokenFile: string
        readonly caFile?: string | undefined
        readonly skipTls?: boolean | undefined
        /** Name of the user in the kubeconfig. Default: the plugin's type. */
        readonly user?: string | undefined
        /** Permissions of the kubeconfig file. Default: 0o600. */
        readonly mode?: number | undefined
      }
    | undefined
  /**
   * The node's container runtime, if known. If unknown, the installation is ready as soon as one runtime runs the
   * plugin. With `containerd`, `uninstall` removes the plugin's binary even while pods exist.
   */
  readonly runtime?: RuntimeReading['runtime'] | undefined
  /**
   * File that all installers of this plugin on the node share. Only the installer that started last writes. Default: no
   * file, so several installers revert each other's changes.
   */
  readonly claimFile?: string | undefined
  /**
   * Folders with the records of the plugin's attachments. While a record exists, `uninstall` keeps the plugin's binary.
   * Default: `/run/cni/<type>/attachments` and `/run/cni/<type>`, the folders of `@cni/skel`. If `netDir` is below
   * `/host`, the default folders are too.
   */
  readonly recordDirs?: readonly string[] | undefined
  /**
   * Folders with a sub-folder `results`, in which runtimes cache ADD results. While a cached result names the plugin,
   * `uninstall` keeps the plugin's binary. With `runtime: 'containerd'`, ignores containerd's results. Default:
   * `/var/lib/cni` and `/var/lib/cni/multus`. If `netDir` is below `/host`, the default folders are too.
   */
  readonly cacheDirs?: readonly string[] | undefined
  /**
   * Map from a folder's path in the installer's container to its path on the node, such as from `/host/etc/cni/net.d`
   * to `/etc/cni/net.d`. Default: for a folder below `/host`, its path without `/host`.
   */
  readonly nodePaths?: Readonly<Record<string, string>> | undefined
  /**
   * Called with the descriptor of a binary's source file after copying or comparing the file. Use `dropPageCache` of
   * `@cni/netns/sys`, because the file's page cache counts as the container's memory. Default: does nothing.
   */
  readonly uncache?: ((fd: number) => void) | undefined
  /** Receives all events of the installer. The installer ignores errors that this function throws. */
  readonly observe?: ((event: InstallEvent) => void) | undefined
  /** Milliseconds between two checks of all files when no watched file changes. Default: 10 s. */
  readonly recheckMs?: number | undefined
  /** Grace period in milliseconds: an invalid primary network configuration still counts as primary. Default: 2 s. */
  readonly holdMs?: number | undefined
  /**
   * Milliseconds between rewrites of a file that another program keeps changing. The first three rewrites happen
   * without a wait. Default: 200 ms.
   */
  readonly rewriteMs?: number | undefined
}

/** Validated options of an installer, with defaults. */
export interface Settings extends InstallerOptions {
  readonly type: string
  readonly binDirs: readonly string[]
  readonly cacheDirs: readonly string[]
  readonly nodePaths: Readonly<Record<string, string>>
  /** Folder in which `@cni/skel` keeps the records of all plugins. */
  readonly recordsRoot: string
  readonly mode: NonNullable<InstallerOptions['mode']>
  readonly confMode: number
  readonly recheckMs: number
  readonly holdMs: number
  readonly rewriteMs: number
  /** Name of the configuration file that only the installer writes, in standalone and owned mode. */
  readonly ownFile: string | undefined
}

/** Validates the options of an installer and adds defaults. */
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

/** Default folders with cached ADD results: libcni's folder and Multus's folder. */
const CACHE_DIRS = ['/var/lib/cni', '/var/lib/cni/multus']

/** Folder where agents in a container mount folders of the node. */
const HOST = '/host'

const isOfHost = (path: string): boolean => path.startsWith(`${HOST}/`)

/** Computes the default of `nodePaths`. Lists only outermost folders, because nested folders are no mounts. */
function hostPaths(paths: readonly string[]): Record<string, string> {
  const mounts = paths.filter((path) => isOfHost(path) && !paths.some((other) => path.startsWith(`${other}/`)))
  return Object.fromEntries(mounts.map((path) => [path, path.slice(HOST.length)]))
}

/** Name of the configuration file that only the installer writes, in modes `standalone` and `owned`. */
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
