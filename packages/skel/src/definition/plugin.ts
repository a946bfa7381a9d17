import { CNI_VERSIONS, type CniVersion, type NetConf, type Result, type Verb } from '@cni/types'
import type * as z from 'zod/v4/core'
import type { LogOptions } from '../log.ts'
import type { StateDefinition } from '../state/call-state.ts'
import { checkDefinition } from './check-definition.ts'
import type { AddContext, CheckContext, DelContext, GcContext, StatusContext } from './context.ts'

/** A plugin: a plain object, created by {@link definePlugin} and executed by `pluginMain` or `runPlugin`. */
export interface Plugin<Conf = unknown, Chained extends boolean = boolean, State = unknown> {
  /** Name of the plugin's executable, and `type` in a network configuration: a file name without white space. */
  readonly name: string
  /** Description of the plugin in one line, for users of the executable. */
  readonly about?: string
  /**
   * Version of the plugin, the output of `--version`. Default: the version of the `@cni` packages. For CNI protocol
   * versions see `versions`.
   */
  readonly release?: string
  /** CNI versions that the plugin supports, each once, in the order of the VERSION reply. Default: all. */
  readonly versions?: readonly CniVersion[]
  /** True for a plugin that needs earlier plugins in the list. Without `prevResult`, ADD and CHECK fail with code 7. */
  readonly chained?: Chained
  /** Milliseconds for one CNI call, 1 to 2 147 483 647. Default: 50 000. */
  readonly timeout?: number
  /**
   * Schema of the plugin's configuration, made with zod 4; `netConf` creates one. If omitted, the configuration is not
   * validated.
   */
  readonly config?: z.$ZodType<Conf>
  /**
   * State that ADD stores for CHECK and DEL: `attachmentState(schema)`. Handlers use it as `c.state`. The state is
   * removed when ADD fails, after a successful DEL, and by GC.
   */
  readonly state?: StateDefinition<State>
  /**
   * Rule for when DEL removes the plugin's objects from the namespace. Default: `last` in a chained plugin, `always` in
   * other plugins.
   * - `own`: DEL removes the objects if the attachment's ADD is recorded for this namespace.
   * - `last`: like `own`, but only for the container's last recorded attachment in this namespace.
   * - `always`: DEL removes the objects in every case.
   *
   * If DEL must keep the objects, `c.netns.kept` has the reason. Removals by `iptables(c)`, `nftables(c)`, `ipset(c)`
   * and `openRtnl(c)` have no effect in this case.
   */
  readonly removal?: 'last' | 'own' | 'always'
  /**
   * Grammar with which the plugin parses `CNI_ARGS`. DEL always uses the tolerant grammar.
   * - `tolerant` (default): ignores unknown keys and malformed pairs.
   * - `strict`: fails ADD and CHECK with code 999 for malformed pairs. Also for unknown keys, unless `IgnoreUnknown` is
   *   set. The keys that Kubernetes sets are known.
   * - an object: like `strict`, but with further known keys. Maps each of these keys to the type of its value.
   */
  readonly args?: 'tolerant' | 'strict' | Readonly<Record<string, 'string' | 'ip' | 'boolean'>>
  /** True to omit `cniVersion` from error documents, as the Go reference implementation does. */
  readonly goCompat?: boolean
  /** Returns level and sinks of the plugin's log. Called in each CNI call once the configuration is known. */
  log?(request: {
    /** Verb of the CNI call, such as `ADD`. */
    readonly command: Verb
    /** Configuration of the CNI call. `undefined` in a DEL whose configuration is invalid. */
    readonly conf: Conf | undefined
    /** Name of the network that the CNI call is about. */
    readonly networkName: string
    /** Value of `CNI_CONTAINERID`; empty for verbs without a container. */
    readonly containerID: string
    /** Environment variables of the CNI call. */
    readonly env: Readonly<Record<string, string | undefined>>
  }): LogOptions
  /** Handler of ADD: attaches the container and returns the result. */
  add(c: AddContext<Conf, Chained, State>): Result | Promise<Result>
  /** Handler of CHECK: throws if the container is not attached as ADD left it. */
  check?(c: CheckContext<Conf, Chained, State>): void | Promise<void>
  /** Handler of DEL: reverts ADD. Must succeed even if nothing of the attachment is left. */
  del?(c: DelContext<Conf, State>): void | Promise<void>
  /**
   * Handler of GC: removes all resources that belong to no valid attachment. Default for a plugin with a `state`: a
   * `del` call for each stale attachment.
   */
  gc?(c: GcContext<Conf, State>): void | Promise<void>
  /** Handler of STATUS: throws if an ADD would fail now. */
  status?(c: StatusContext<Conf>): void | Promise<void>
}

/**
 * Defines a CNI plugin, and returns the given definition. Handlers get the types of their configuration. Checks the
 * definition when the executable starts.
 *
 * @throws TypeError that names the invalid member, the expected value and the actual one.
 * @example
 * ```ts
 * export const plugin = definePlugin({
 *   name: 'tag',
 *   chained: true,
 *   config: netConf({ tag: z.string() }),
 *   add(c) {
 *     c.log.info('tagged', { tag: c.conf.tag })
 *     return c.prevResult
 *   },
 * })
 * ```
 */
export function definePlugin<Conf = NetConf, const Chained extends boolean = false, State = undefined>(
  plugin: Plugin<Conf, Chained, State>,
): Plugin<Conf, Chained, State> {
  checkDefinition(plugin)
  return plugin
}

/** CNI versions that a plugin supports. */
export function supportedVersions({ versions }: Pick<Plugin, 'versions'>): readonly string[] {
  return versions ?? CNI_VERSIONS
}
