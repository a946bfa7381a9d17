import type { Netns } from '@cni/netns/handle'
import type { K8sArgs, NetConf, Result, ValidAttachment } from '@cni/types'
import type { Log } from '../log.ts'
import type { AttachmentState, NetworkState } from '../state/call-state.ts'

/** Context of every handler. */
export interface CallContext {
  /** Name of the plugin, from its definition. */
  readonly plugin: string
  /** Name of the network: `name` of the configuration. */
  readonly networkName: string
  /** Version of the configuration. A result is printed in this version. */
  readonly cniVersion: string
  /** `CNI_ARGS`, parsed as the plugin's `args` demands. */
  readonly args: ReadonlyMap<string, string>
  /** The pod, if the runtime passes the Kubernetes members of `CNI_ARGS`. */
  readonly k8s: K8sArgs | undefined
  /** `CNI_PATH`: folders in which delegates are found. */
  readonly path: readonly string[]
  /** The whole environment, for delegates. */
  readonly env: Readonly<Record<string, string | undefined>>
  /** Stdin as received, for delegates. */
  readonly raw: Uint8Array
  /** Log of the call. Its lines go to stderr and to the sinks of the `log` hook. */
  readonly log: Log
  /** The call as a span of a distributed trace, as in OpenTelemetry. Set by the middleware `span`. */
  readonly span?: {
    /** W3C trace id: 32 hexadecimal digits. */
    readonly traceId: string
    /** Id of this call's span: 16 hexadecimal digits. */
    readonly spanId: string
    /** Id of the caller's span. */
    readonly parentId: string
    /** True if the caller records the trace. */
    readonly sampled: boolean
  }
  /** Aborts at the deadline and on SIGTERM. Pass it to everything that waits. */
  readonly signal: AbortSignal
  /**
   * Keeps a resource until the end of the call, and returns it. Resources are disposed in reverse order.
   * A call ends when its result is written, or after the undo steps of a failed ADD.
   *
   * @example
   * ```ts
   * c.hold(await lock('/run/my-plugin/lock', { create: true }))
   * ```
   */
  hold<Resource extends Disposable | undefined>(resource: Resource): Resource
}

/** Context of ADD, CHECK and DEL. */
export interface AttachmentContext extends CallContext {
  /** `CNI_CONTAINERID`: id that the runtime gave to the container. */
  readonly containerID: string
  /** `CNI_IFNAME`: name of the interface inside the container. */
  readonly ifName: string
}

/** Context of an ADD handler. */
export interface AddContext<Conf = NetConf, Chained extends boolean = false, State = undefined>
  extends AttachmentContext {
  /** Configuration, parsed by the schema. */
  readonly conf: Conf
  /** State of the attachment. Throws if the definition has no `state`. */
  readonly state: AttachmentState<State>
  /** The container's namespace, open until the end of the call. Never the plugin's own namespace. */
  readonly netns: Netns
  /**
   * Result of the previous plugins in the 1.1.0 model, frozen. Always defined in a chained plugin.
   * Return it to pass on the received document unchanged. To change something, return a new object: `{ ...c.prevResult,
   * dns }`.
   */
  readonly prevResult: Chained extends true ? Result : Result | undefined
  /**
   * Registers the inverse of a change. The steps run in reverse order if ADD fails, also at its deadline; at most 2 s
   * in all. The steps get a signal of their own, because the call's signal may have aborted by then.
   *
   * @example
   * ```ts
   * await addRoute(route)
   * c.undo(({ signal }) => removeRoute(route, { signal }))
   * ```
   */
  undo(step: (options: { readonly signal: AbortSignal }) => unknown): void
}

/** Context of a CHECK handler. The handler throws if the container is not as ADD left it. */
export interface CheckContext<Conf = NetConf, Chained extends boolean = false, State = undefined>
  extends AttachmentContext {
  /** Configuration, parsed by the schema. */
  readonly conf: Conf
  /** State that ADD has stored, in a plugin that declares a `state`. */
  readonly state: Pick<AttachmentState<State>, 'read'>
  /** The container's namespace, open until the end of the call. */
  readonly netns: Netns
  /** Final result of the whole chain in the 1.1.0 model, frozen. */
  readonly prevResult: AddContext<Conf, Chained>['prevResult']
}

/** Context of a DEL handler. Each of these members may be `undefined`; the handler should not fail for this reason. */
export interface DelContext<Conf = NetConf, State = undefined> extends AttachmentContext {
  /** Configuration, parsed by the schema. `undefined` if the plugin's own members are invalid. */
  readonly conf: Conf | undefined
  /**
   * The container's namespace. The member is `undefined` if the runtime gave no namespace, or if the namespace is gone
   * or the plugin's own. Its `kept` is the reason why the namespace's contents must stay: the attachment has no record,
   * or another attachment of the container needs them.
   */
  readonly netns: Netns | undefined
  /**
   * Final result of the chain in the 1.1.0 model. `undefined` if the runtime gave no result, or an unreadable result.
   */
  readonly prevResult: Result | undefined
  /**
   * State that ADD has stored, in a plugin that declares a `state`. The state is removed after the handler has
   * succeeded.
   */
  readonly state: Pick<AttachmentState<State>, 'read'>
}

/** Context of a GC handler. */
export interface GcContext<Conf = NetConf, State = undefined> extends CallContext {
  /** Configuration, parsed by the schema. */
  readonly conf: Conf
  /** State that all ADDs have stored, in a plugin that declares a `state`. */
  readonly state: NetworkState<State>
  /**
   * Attachments that are valid; all others are stale. `undefined` if the runtime gave no list; no attachment then
   * counts as stale.
   */
  readonly validAttachments: readonly Readonly<ValidAttachment>[] | undefined
}

/** Context of a STATUS handler. The handler throws code 50 or 51 if an ADD would fail now. */
export interface StatusContext<Conf = NetConf> extends CallContext {
  /** Configuration, parsed by the schema. */
  readonly conf: Conf
}
