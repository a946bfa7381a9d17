import { CNI_VERSIONS, type CniVersion, type NetConf, type Result, type Verb } from '@cni/types'
import type * as z from 'zod/v4/core'
import type { LogOptions } from '../log.ts'
import type { StateDefinition } from '../state/call-state.ts'
import { checkDefinition } from './check-definition.ts'
import type { AddContext, CheckContext, DelContext, GcContext, StatusContext } from './context.ts'

/** A plugin: a plain object, created by {@link definePlugin} and executed by `pluginMain` or `runPlugin`. */
export interface Plugin<Conf = unknown, Chained extends boolean = boolean, State = unknown> {
  /** Name of the executable, and `type` in a configuration: a file name without white space. */
  readonly name: string
  /** One line for a user who starts the executable by hand. It is printed instead of an error. */
  readonly about?: string
  /** Output of `--version`, one line. Default: the version of these packages. For protocol versions see `versions`. */
  readonly release?: string
  /** Supported versions of the specification, each once, in the order of the VERSION reply. Default: all. */
  readonly versions?: readonly CniVersion[]
  /** True for a plugin that needs other plugins before it. ADD and CHECK without `prevResult` then fail with code 7. */
  readonly chained?: Chained
  /** Milliseconds for one call, 1 to 2 147 483 647. Default: 50 000. */
  readonly timeout?: number
  /** Any zod 4 schema of the configuration; `netConf` creates one. Without it the configuration is not validated. */
  readonly config?: z.$ZodType<Conf>
  /**
   * State that ADD stores for CHECK and DEL: `attachmentState(schema)`. Handlers use it as `c.state`.
   * It is removed when ADD fails, after a successful DEL, and by GC.
   * A plugin that appears twice in a list has only one state there.
   */
  readonly state?: StateDefinition<State>
  /**
   * When DEL removes the plugin's objects from the container's namespace: `last`, `own` or `always`.
   * Default: `last` in a chained plugin, `always` in others.
   *
   * ADD records each attachment below `/run/cni/<name>/attachments`. If DEL must not remove, `c.netns.kept` says why.
   * Removals by `iptables(c)`, `nftables(c)`, `ipset(c)` and `openRtnl(c)` then have no effect.
   */
  readonly removal?: 'last' | 'own' | 'always'
  /**
   * Grammar of `CNI_ARGS`. DEL always uses the tolerant grammar.
   * - `tolerant` (default): ignores unknown keys and malformed pairs.
   * - `strict`: fails ADD and CHECK with code 999, as the reference implementation does. Rejects malformed pairs, and
   *   unknown keys unless `IgnoreUnknown` is set. Kubernetes keys are known.
   * - a record: strict, with further known keys and the types of their values.
   */
  readonly args?: 'tolerant' | 'strict' | Readonly<Record<string, 'string' | 'ip' | 'boolean'>>
  /** Omits `cniVersion` from error documents, as the reference implementation does. */
  readonly goCompat?: boolean
  /** Sets level and sinks of the log, once the configuration is known. */
  log?(request: {
    /** Verb of the call. */
    readonly command: Verb
    /** Configuration of the call. `undefined` in a DEL whose configuration is invalid. */
    readonly conf: Conf | undefined
    /** Name of the network. */
    readonly networkName: string
    /** `CNI_CONTAINERID`; empty if the verb has none. */
    readonly containerID: string
    /** Environment of the call. */
    readonly env: Readonly<Record<string, string | undefined>>
  }): LogOptions
  /** Attaches the container. The result is printed in the configuration's version. */
  add(c: AddContext<Conf, Chained, State>): Result | Promise<Result>
  /** Checks the attachment. Throws if it is not as ADD left it. */
  check?(c: CheckContext<Conf, Chained, State>): void | Promise<void>
  /** Reverts ADD. The handler must succeed even if nothing of the attachment is left. */
  del?(c: DelContext<Conf, State>): void | Promise<void>
  /**
   * Removes everything that belongs to no valid attachment. If this handler is missing, a plugin with a `state` gets a
   * `del` call for each stale attachment. This call has no namespace.
   */
  gc?(c: GcContext<Conf, State>): void | Promise<void>
  /** Throws if an ADD would fail now. */
  status?(c: StatusContext<Conf>): void | Promise<void>
}

/**
 * Defines a plugin. Returns its argument; handlers get the types of their configuration.
 * Checks the definition when the executable starts: invalid name, unknown version, misspelt handler, and more.
 *
 * @throws TypeError that names the member, the expected value and the actual one.
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

/** Versions that a plugin supports. */
export function supportedVersions({ versions }: Pick<Plugin, 'versions'>): readonly string[] {
  return versions ?? CNI_VERSIONS
}
