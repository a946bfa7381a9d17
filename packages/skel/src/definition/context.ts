import type { Netns } from '@cni/netns/handle'
import type { K8sArgs, NetConf, Result, ValidAttachment } from '@cni/types'
import type { Log } from '../log.ts'
import type { AttachmentState, NetworkState } from '../state/call-state.ts'

/** What every handler knows about its call. */
export interface CallContext {
  /** The plugin's name, from its definition. */
  readonly plugin: string
  /** The network's name: `name` of the configuration. */
  readonly networkName: string
  /** The configuration's version; a result is printed in it. */
  readonly cniVersion: string
  /** `CNI_ARGS`, read as the plugin's `args` says. */
  readonly args: ReadonlyMap<string, string>
  /** The pod, when the runtime passes the Kubernetes convention in `CNI_ARGS`. */
  readonly k8s: K8sArgs | undefined
  /** `CNI_PATH`: where delegates are looked for. */
  readonly path: readonly string[]
  /** The whole environment, for delegates. */
  readonly env: Readonly<Record<string, string | undefined>>
  /** Stdin as it came, for delegates. */
  readonly raw: Uint8Array
  /** The log of the call: lines go to stderr and to the sinks of the `log` hook. */
  readonly log: Log
  /** The call as a span of a distributed trace, in the terms of OpenTelemetry; the middleware `span` sets it. */
  readonly span?: {
    /** The W3C trace: 32 hexadecimal digits. */
    readonly traceId: string
    /** The span of this call: 16 hexadecimal digits. */
    readonly spanId: string
    /** The span of the caller. */
    readonly parentId: string
    /** True if the caller records the trace. */
    readonly sampled: boolean
  }
  /** Aborts at the deadline and on SIGTERM. Give it to everything that waits. */
  readonly signal: AbortSignal
  /**
   * Keeps a resource until the call is over: until the result is written or, when ADD fails, until the undo steps have
   * run. Resources are disposed last first. Gives the resource back.
   *
   * @example
   * ```ts
   * c.hold(await lock('/run/my-plugin/lock', { create: true }))
   * ```
   */
  hold<Resource extends Disposable | undefined>(resource: Resource): Resource
}

/** What ADD, CHECK and DEL know about the attachment. */
export interface AttachmentContext extends CallContext {
  /** `CNI_CONTAINERID`: the container, by the name of the runtime. */
  readonly containerID: string
  /** `CNI_IFNAME`: the interface inside the container. */
  readonly ifName: string
}

/** What an ADD handler gets. */
export interface AddContext<Conf = NetConf, Chained extends boolean = false, State = undefined>
  extends AttachmentContext {
  /** The configuration, as the schema has read it. */
  readonly conf: Conf
  /** What the plugin keeps of the attachment; to use it without a `state` in the definition is an error. */
  readonly state: AttachmentState<State>
  /** The container's namespace, open until the call ends. Never the plugin's own. */
  readonly netns: Netns
  /**
   * The result so far, in the 1.1.0 model, frozen; certain in a chained plugin. Return it to pass the received document on
   * as it is; to change something, return a new object: `{ ...c.prevResult, dns }`.
   */
  readonly prevResult: Chained extends true ? Result : Result | undefined
  /**
   * Registers the inverse of what was just done. When ADD fails, at its deadline too, the steps run last first, 2 s in
   * all. Their signal is not the call's, which may be aborted by then.
   *
   * @example
   * ```ts
   * await addRoute(route)
   * c.undo(({ signal }) => removeRoute(route, { signal }))
   * ```
   */
  undo(step: (options: { readonly signal: AbortSignal }) => unknown): void
}

/** What a CHECK handler gets. Throw when the container is not as ADD left it. */
export interface CheckContext<Conf = NetConf, Chained extends boolean = false, State = undefined>
  extends AttachmentContext {
  /** The configuration, as the schema has read it. */
  readonly conf: Conf
  /** What ADD kept, in a plugin that declares a `state`. */
  readonly state: Pick<AttachmentState<State>, 'read'>
  /** The container's namespace, open until the call ends. */
  readonly netns: Netns
  /** The final result of the whole chain, in the 1.1.0 model, frozen. */
  readonly prevResult: AddContext<Conf, Chained>['prevResult']
}

/** What a DEL handler gets: any part may be missing, and none is a reason to fail. */
export interface DelContext<Conf = NetConf, State = undefined> extends AttachmentContext {
  /** `undefined` when the plugin's own members are invalid. */
  readonly conf: Conf | undefined
  /**
   * `undefined` when the runtime gave none, when it is gone, or when the path leads to the plugin's own. Its `kept` says
   * why removals leave what is there: the attachment is not recorded, or another one of the container needs it.
   */
  readonly netns: Netns | undefined
  /** `undefined` when the runtime gave none, or none that can be read. */
  readonly prevResult: Result | undefined
  /** What ADD kept, in a plugin that declares a `state`; it is removed when the handler has succeeded. */
  readonly state: Pick<AttachmentState<State>, 'read'>
}

/** What a GC handler gets. */
export interface GcContext<Conf = NetConf, State = undefined> extends CallContext {
  /** The configuration, as the schema has read it. */
  readonly conf: Conf
  /** What ADDs kept, in a plugin that declares a `state`. */
  readonly state: NetworkState<State>
  /** Everything else is stale. `undefined` when the runtime did not say: then nothing is known to be stale. */
  readonly validAttachments: readonly Readonly<ValidAttachment>[] | undefined
}

/** What a STATUS handler gets. Throw with code 50 or 51 when an ADD could not succeed now. */
export interface StatusContext<Conf = NetConf> extends CallContext {
  /** The configuration, as the schema has read it. */
  readonly conf: Conf
}
