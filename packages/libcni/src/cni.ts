import type { PluginResult } from '@cni/invoke'
import type { Conflist, ValidAttachment, Verb } from '@cni/types'
import type { Attachment, CachedAttachment } from './attachment.ts'
import { DEFAULT_CACHE_DIR, listCachedAttachments, readCachedAttachment, readCachedResult } from './cache/cache.ts'
import { type NetworkList, toNetworkList } from './network-list.ts'
import { perform } from './perform.ts'
import { type CniOptions, type Operation, type OperationOptions, operation } from './runtime.ts'
import { addNetwork } from './verbs/add.ts'
import { checkNetwork } from './verbs/check.ts'
import { delNetwork } from './verbs/del.ts'
import { collectGarbage } from './verbs/gc.ts'
import { networkStatus } from './verbs/status.ts'
import { validateNetwork } from './verbs/validate.ts'

/** The runtime side of CNI; see {@link cni}. Accepts loaded lists and plain conflist objects. */
export interface Cni {
  /**
   * Attaches a container to a network: runs ADD of every plugin. After a failure, the caller must run {@link Cni.del}.
   */
  add(list: NetworkList | Conflist, rt: Attachment, options?: OperationOptions): Promise<PluginResult>
  /** Checks a container's attachment to a network: runs CHECK of every plugin. */
  check(list: NetworkList | Conflist, rt: Attachment, options?: OperationOptions): Promise<void>
  /**
   * Detaches a container: runs DEL of every plugin, the last one first.
   *
   * @param options - `onDelError` is the reaction to a plugin's failed DEL. Default: `stop`.
   * - `stop` skips the remaining plugins, as the Go library does.
   * - `continue` runs the remaining plugins.
   *
   * In both cases, `del` throws the first error and keeps the cached result.
   */
  del(
    list: NetworkList | Conflist,
    rt: Attachment,
    options?: OperationOptions & { readonly onDelError?: 'stop' | 'continue' | undefined },
  ): Promise<void>
  /**
   * Runs DEL for cached attachments that no longer exist. Also runs GC of every plugin.
   *
   * @param args - attachments that still exist. All other attachments of the network are deleted; `[]` deletes all.
   */
  gc(
    list: NetworkList | Conflist,
    args: { readonly validAttachments: readonly ValidAttachment[] },
    options?: OperationOptions,
  ): Promise<void>
  /** Runs STATUS of every plugin, to test whether an ADD would succeed now. */
  status(list: NetworkList | Conflist, options?: OperationOptions): Promise<void>
  /**
   * Tests that every plugin of the list exists and supports the list's version. Returns the capabilities that the
   * plugins declare.
   */
  validate(list: NetworkList | Conflist, options?: OperationOptions): Promise<string[]>
  /** Cached result of an attachment, converted to the `cniVersion` of the network's list. */
  cachedResult(list: NetworkList | Conflist, rt: Pick<Attachment, 'containerID' | 'ifName'>): unknown
  /** Cached data of an attachment: the text of the network's list, `CNI_ARGS` and capability values. */
  cachedAttachment(
    list: NetworkList | Conflist,
    rt: Pick<Attachment, 'containerID' | 'ifName'>,
  ): CachedAttachment | undefined
  /** Cached attachments of all networks, either of all containers or of one container. */
  attachments(containerID?: string): CachedAttachment[]
}

/**
 * The runtime side of CNI: executes chains of plugins and caches their results. Uses the cache folder and file format
 * of the Go library.
 *
 * In this process, operations on a container run in the order of the calls. A GC runs alone in its network. Waiting
 * counts towards an operation's timeout.
 *
 * Operations of different processes are not synchronized. A plugin that is a function must not use the runtime for its
 * container.
 *
 * @example
 * ```ts
 * const runtime = cni({ path: ['/opt/cni/bin', '/usr/lib/cni'], timeout: 60_000 })
 * const list = loadConflist('/etc/cni/net.d', 'pods')
 * const rt = { containerID: 'c1', netns: '/run/netns/c1', ifName: 'eth0' }
 * try {
 *   const { result } = await runtime.add(list, rt)
 * } catch (error) {
 *   await runtime.del(list, rt)
 *   throw error
 * }
 * ```
 */
export function cni(options: CniOptions): Cni {
  const { cacheDir = DEFAULT_CACHE_DIR } = options
  const attachment = async <T>(
    verb: Verb,
    list: NetworkList | Conflist,
    rt: Attachment,
    own: OperationOptions | undefined,
    body: (op: Operation, list: NetworkList, rt: Attachment) => Promise<T>,
  ): Promise<T> => {
    const loaded = toNetworkList(list)
    const task = { verb, network: loaded.conflist.name, rt }
    return perform(options, own, task, (op) => body(op, loaded, rt))
  }
  const network = async (
    verb: Verb,
    list: NetworkList | Conflist,
    own: OperationOptions | undefined,
    body: (op: Operation, list: NetworkList) => Promise<void>,
  ): Promise<void> => {
    const loaded = toNetworkList(list)
    return perform(options, own, { verb, network: loaded.conflist.name }, (op) => body(op, loaded))
  }
  return {
    add: (list, rt, own) => attachment('ADD', list, rt, own, addNetwork),
    check: (list, rt, own) => attachment('CHECK', list, rt, own, checkNetwork),
    del: (list, rt, own) => attachment('DEL', list, rt, own, (...del) => delNetwork(...del, own?.onDelError)),
    gc: (list, args, own) =>
      network('GC', list, own, (op, loaded) => collectGarbage(op, loaded, args.validAttachments)),
    status: (list, own) => network('STATUS', list, own, networkStatus),
    validate: async (list, own) => validateNetwork(operation(options, own), toNetworkList(list)),
    cachedResult(list, rt) {
      const { name, cniVersion = '' } = toNetworkList(list).conflist
      return readCachedResult(cacheDir, { ...rt, network: name }, cniVersion)
    },
    cachedAttachment(list, rt) {
      return readCachedAttachment(cacheDir, { ...rt, network: toNetworkList(list).conflist.name })
    },
    attachments: (containerID) => listCachedAttachments(cacheDir, containerID),
  }
}
