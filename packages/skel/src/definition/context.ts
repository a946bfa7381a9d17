import type { Netns } from '@cni/netns/handle'
import type { K8sArgs, NetConf, Result, ValidAttachment } from '@cni/types'
import type { Log } from '../log.ts'
import type { AttachmentState, NetworkState } from '../state/call-state.ts'

/** Context that a handler of every CNI verb gets as its argument. */
export interface CallContext {
  /** Name of the CNI plugin, from the plugin definition. */
  readonly plugin: string
  /** Name of the network: the member `name` of the configuration. */
  readonly networkName: string
  /** CNI version of the configuration. The result of ADD is printed in this version. */
  readonly cniVersion: string
  /** Pairs of `CNI_ARGS`, parsed with the grammar in the plugin's `args`. */
  readonly args: ReadonlyMap<string, string>
  /** Name, namespace and UID of the pod, if the container runtime passes the Kubernetes members of `CNI_ARGS`. */
  readonly k8s: K8sArgs | undefined
  /** Folders of `CNI_PATH`, in which the plugin finds its delegates. */
  readonly path: readonly string[]
  /** All environment variables of the call. The plugin passes them to its delegates. */
  readonly env: Readonly<Record<string, string | undefined>>
  /** Bytes of stdin as received. The plugin passes them to its delegates. */
  readonly raw: Uint8Array
  /** Log of the call. The lines go to stderr and to the sinks of the plugin's `log` hook. */
  readonly log: Log
  /** Span of the call in a distributed trace, as in OpenTelemetry. The middleware `span` sets this member. */
  readonly span?: {
    /** W3C id of the trace to which the call belongs: 32 hexadecimal digits. */
    readonly traceId: string
    /** Id of this call's span: 16 hexadecimal digits. */
    readonly spanId: string
    /** Id of the span in which the caller of the plugin runs. */
    readonly parentId: string
    /** True if the caller of the plugin records the trace. */
    readonly sampled: boolean
  }
  /** AbortSignal that aborts at the deadline of the call and on SIGTERM. Pass it to every function that waits. */
  readonly signal: AbortSignal
  /**
   * Keeps a resource, such as a lock, until the end of the call. Disposes resources in reverse order, after the result
   * or the undo steps.
   *
   * @example
   * ```ts
   * c.hold(await lock('/run/my-plugin/lock', { create: true }))
   * ```
   */
  hold<Resource extends Disposable | undefined>(resource: Resource): Resource
}

/** Context that handlers of ADD, CHECK and DEL get: one container interface in one network. */
export interface AttachmentContext extends CallContext {
  /** Value of `CNI_CONTAINERID`: id that the container runtime gave to the container. */
  readonly containerID: string
  /** Value of `CNI_IFNAME`: name of the interface inside the container. */
  readonly ifName: string
}

/** Context that the plugin's ADD handler gets. */
export interface AddContext<Conf = NetConf, Chained extends boolean = false, State = undefined>
  extends AttachmentContext {
  /** Network configuration, parsed by the plugin's schema. */
  readonly conf: Conf
  /** State that the plugin stores for the attachment. Throws if the plugin definition has no `state`. */
  readonly state: AttachmentState<State>
  /** The container's network namespace, open until the end of the call. Never the plugin's own namespace. */
  readonly netns: Netns
  /**
   * Result of the previous plugins in the 1.1.0 model, frozen. An ADD that changes nothing returns this object. To
   * change the result, return a new object: `{ ...c.prevResult, dns }`.
   */
  readonly prevResult: Chained extends true ? Result : Result | undefined
  /**
   * Registers a function that reverts a change of the handler. The functions run in reverse order if ADD fails or
   * reaches its deadline. Together they have at most 2 s, after which their own AbortSignal aborts.
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
  /** Network configuration, parsed by the plugin's schema. */
  readonly conf: Conf
  /** State that ADD has stored for the attachment, in a plugin that declares a `state`. */
  readonly state: Pick<AttachmentState<State>, 'read'>
  /** The container's network namespace, open until the end of the call. */
  readonly netns: Netns
  /** Final result of the whole plugin chain in the data model of CNI 1.1.0, frozen. */
  readonly prevResult: AddContext<Conf, Chained>['prevResult']
}

/** Context of a DEL handler. The handler should succeed even if members are `undefined`. */
export interface DelContext<Conf = NetConf, State = undefined> extends AttachmentContext {
  /**
   * Network configuration, parsed by the plugin's schema. The member is `undefined` if the configuration is invalid.
   */
  readonly conf: Conf | undefined
  /**
   * The container's network namespace. `undefined` if the namespace is missing, gone, or the plugin's own. `netns.kept`
   * has the reason if DEL must remove nothing:
   * - No ADD of the attachment is recorded for this namespace.
   * - Another attachment of the container shares the plugin's objects.
   */
  readonly netns: Netns | undefined
  /** Final result of the plugin chain in the 1.1.0 model. `undefined` if there is no readable result. */
  readonly prevResult: Result | undefined
  /** State that ADD has stored for the attachment. The state is removed after the DEL handler has succeeded. */
  readonly state: Pick<AttachmentState<State>, 'read'>
}

/** Context that the plugin's GC handler gets. */
export interface GcContext<Conf = NetConf, State = undefined> extends CallContext {
  /** Network configuration, parsed by the plugin's schema. */
  readonly conf: Conf
  /** State that ADD has stored for all attachments of the network, in a plugin that declares a `state`. */
  readonly state: NetworkState<State>
  /**
   * Attachments of the network that are still valid; all others are stale. `undefined` without a list: nothing counts
   * as stale.
   */
  readonly validAttachments: readonly Readonly<ValidAttachment>[] | undefined
}

/** Context of a STATUS handler. The handler throws code 50 or 51 if an ADD would fail now. */
export interface StatusContext<Conf = NetConf> extends CallContext {
  /** Network configuration, parsed by the plugin's schema. */
  readonly conf: Conf
}
