import { electZtunnel, type KernelSide, type ZtunnelPod } from '@cni/istio-node-level'
import type { Netns } from '@cni/netns'
import { messageOf, printable } from '@cni/types'
import { throttledLog } from '../../log/throttled-log.ts'
import type { ScopedLog } from '../../shared/deps.ts'
import { noNamespaceOf } from '../pods/enroller.ts'
import { podQueue } from '../pods/pod-queue.ts'

/** Options of {@link ztunnelElection}, the election of the serving ztunnel. */
export interface ZtunnelElectionOptions {
  readonly kernel: Pick<KernelSide, 'start' | 'pause'>
  /** Returns the current ztunnel pods of the node. */
  readonly ztunnels: () => Iterable<ZtunnelPod>
  /** Opens the network namespace of a ztunnel pod, which the caller closes. */
  readonly find: (uid: string, addresses: readonly string[]) => Promise<Netns | undefined>
  /** Called with the ztunnel that now serves the node, or `undefined`. A rejected call is repeated. */
  readonly serves: (ztunnel: ZtunnelPod | undefined) => Promise<void>
  readonly log: ScopedLog
  readonly signal: AbortSignal
}

/** Elects the node's newest ready ztunnel pod, and directs the traffic of pods to this ztunnel. */
export interface ZtunnelElection {
  /** Queues an election of the serving ztunnel. Call this method after a change of ztunnel pods. */
  enqueue(): void
  /** Returns the pod of the ztunnel that gets the traffic of the node's pods, if any. */
  serving(): ZtunnelPod | undefined
  /** Returns the reason why the last election or start of a ztunnel failed, as a sentence. */
  problem(): string | undefined
  idle(): Promise<void>
}

/** Creates the elector of the serving ztunnel. The method `enqueue` starts an election. */
export function ztunnelElection({
  kernel,
  ztunnels,
  find,
  serves,
  log,
  signal,
}: ZtunnelElectionOptions): ZtunnelElection {
  let serving: ZtunnelPod | undefined
  let isReported = false
  let failure: string | undefined
  const throttled = throttledLog(log, 'a ztunnel serves the node')

  const elect = async (): Promise<void> => {
    const elected = electZtunnel(ztunnels())
    if (isReported && isSame(serving, elected)) {
      failure = undefined
      return
    }
    if (elected !== undefined) {
      const { uid, name, ip, dnsCapture } = elected
      using netns = await find(uid, [ip])
      // Installs no rules while the agent stops, because the rules would stay on the node.
      if (signal.aborted) return
      if (netns === undefined) throw new Error(noNamespaceOf(`ztunnel ${name}`, uid))
      const { changed, warnings } = await kernel.start({ uid, name, ip, netns, dnsCapture })
      for (const text of warnings) log.warn(printable(text))
      const reason = serving === undefined ? 'it is the first ready one' : `it replaces ${serving.name}`
      log.info(`ztunnel ${printable(name)} serves the node: ${reason}`, { ip, dnsCapture, changed: changed.length })
    } else {
      if (serving !== undefined) {
        log.warn('no ztunnel is ready on this node: after the last one ends, traffic of pods in the mesh is dropped')
      }
      const { changed, warnings } = await kernel.pause()
      for (const text of warnings) log.warn(printable(text))
      if (changed.length > 0)
        log.info('new connections are no longer redirected to a ztunnel', { changed: printable(changed.join('; ')) })
    }
    isReported = false
    serving = elected
    await serves(elected)
    isReported = true
    failure = undefined
    throttled.worked()
  }
  const queue = podQueue({
    reconcile: elect,
    failed(_, error, pauseMs) {
      failure = printable(messageOf(error))
      throttled.failed(`no ztunnel can serve this node: ${failure}`, { nextAttemptInMs: pauseMs })
    },
    signal,
  })
  return {
    enqueue: () => queue.enqueue(ZTUNNELS),
    serving: () => serving,
    problem: () => failure,
    idle: queue.idle,
  }
}

// internal

/** Key under which all elections are queued. Elections with the same key run one after the other. */
const ZTUNNELS = 'ztunnels'

const isSame = (one: ZtunnelPod | undefined, other: ZtunnelPod | undefined): boolean =>
  one?.uid === other?.uid && one?.ip === other?.ip && one?.dnsCapture === other?.dnsCapture
