import { CNI_VERSIONS, type CniVersion, type NetConf, type Result, type Verb } from '@cni/types'
import type * as z from 'zod/v4/core'
import type { LogOptions } from '../log.ts'
import type { StateDefinition } from '../state/call-state.ts'
import { checkDefinition } from './check-definition.ts'
import type { AddContext, CheckContext, DelContext, GcContext, StatusContext } from './context.ts'

/** A plugin: data, made by {@link definePlugin}, run by `pluginMain` or `runPlugin`. */
export interface Plugin<Conf = unknown, Chained extends boolean = boolean, State = unknown> {
  /** The name of the executable, and `type` in a configuration: a file name without blanks. */
  readonly name: string
  /** One line for a human who starts the executable by hand: then it is printed instead of an error. */
  readonly about?: string
  /** What `--version` says, on one line; the version of these packages when not said. Not the protocol's: `versions`. */
  readonly release?: string
  /** The specification versions it supports, each once, in the order VERSION reports them. All when not said. */
  readonly versions?: readonly CniVersion[]
  /** Only works behind other plugins: ADD and CHECK without `prevResult` fail with code 7. */
  readonly chained?: Chained
  /** Milliseconds one call may take, 1 to 2 147 483 647; 50 000 when not said. */
  readonly timeout?: number
  /** Any zod 4 schema of the configuration; `netConf` makes one. Without it the configuration is not checked. */
  readonly config?: z.$ZodType<Conf>
  /**
   * State that ADD keeps of an attachment for CHECK and DEL: `attachmentState(schema)`. `c.state` reads and writes it. It is
   * removed when ADD fails, after a DEL that succeeded, and by GC. A plugin that stands twice in one list has one state there.
   */
  readonly state?: StateDefinition<State>
  /**
   * When DEL removes what the plugin has in the container's namespace: `last`, `own` or `always`. Default: `last` in a
   * chained plugin, `always` in others. ADD records each attachment below `/run/cni/<name>/attachments`. Where DEL must
   * not remove, `c.netns.kept` says why, and what `iptables(c)`, `nftables(c)`, `ipset(c)` and `openRtnl(c)` remove stays.
   */
  readonly removal?: 'last' | 'own' | 'always'
  /**
   * How `CNI_ARGS` is read. `tolerant`, when not said: whatever is for others, or malformed, is passed over. `strict`
   * fails ADD and CHECK with code 999 as the reference implementation does, for a malformed pair and, unless
   * `IgnoreUnknown` is set, for a key besides those of Kubernetes; a record names more keys, and the kind of their
   * values. DEL is always tolerant.
   */
  readonly args?: 'tolerant' | 'strict' | Readonly<Record<string, 'string' | 'ip' | 'boolean'>>
  /** Leave `cniVersion` out of error documents, as the reference implementation does. */
  readonly goCompat?: boolean
  /** Decides level and sinks of the log, once the configuration is known. */
  log?(request: {
    /** The verb of the call. */
    readonly command: Verb
    /** `undefined` in a DEL whose configuration is invalid. */
    readonly conf: Conf | undefined
    /** The name of the network. */
    readonly networkName: string
    /** `CNI_CONTAINERID`; empty where the verb has none. */
    readonly containerID: string
    /** The environment of the call. */
    readonly env: Readonly<Record<string, string | undefined>>
  }): LogOptions
  /** Attaches the container; the result is printed in the configuration's version. */
  add(c: AddContext<Conf, Chained, State>): Result | Promise<Result>
  /** Throws when the attachment is not as ADD left it. */
  check?(c: CheckContext<Conf, Chained, State>): void | Promise<void>
  /** Takes back what ADD did. Has to succeed when it is gone already. */
  del?(c: DelContext<Conf, State>): void | Promise<void>
  /**
   * Takes back what belongs to no valid attachment. In a plugin with a `state` and without this, `del` is called for each
   * attachment that is stale, without a namespace.
   */
  gc?(c: GcContext<Conf, State>): void | Promise<void>
  /** Throws when an ADD could not succeed now. */
  status?(c: StatusContext<Conf>): void | Promise<void>
}

/**
 * Defines a plugin. Gives back what it is given: its use is that handlers know the types of their configuration, and
 * that a definition which cannot work is refused when the executable starts: a name that is none, a version without a
 * known format, a misspelt handler …
 *
 * @throws TypeError that names the member, what is expected of it and what it is.
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

/** The versions a plugin supports. */
export function supportedVersions({ versions }: Pick<Plugin, 'versions'>): readonly string[] {
  return versions ?? CNI_VERSIONS
}
