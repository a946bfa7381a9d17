import { electZtunnel, type KernelSide, type ZtunnelPod } from '@cni/istio-node-level'
import type { Netns } from '@cni/netns'
import { messageOf, printable } from '@cni/types'
import { calmLog } from '../../log/calm-log.ts'
import type { ScopedLog } from '../../part/services.ts'
import { noNamespaceOf } from '../pods/enroller.ts'
import { podQueue } from '../pods/pod-queue.ts'

/** What {@link ztunnelLead} works with. */
export interface ZtunnelLeadOptions {
  readonly kernel: Pick<KernelSide, 'start' | 'pause'>
  /** The ztunnels of the node at this moment. */
  readonly ztunnels: () => Iterable<ZtunnelPod>
  /** The namespace of a ztunnel, which whoever asked closes; `undefined`: none was found. */
  readonly find: (uid: string, addresses: readonly string[]) => Promise<Netns | undefined>
  /** Told of each change: who serves the node now, if anybody does. What it throws has the change made once more. */
  readonly serves: (ztunnel: ZtunnelPod | undefined) => Promise<void>
  readonly log: ScopedLog
  readonly signal: AbortSignal
}

/** Sees to it that the newest ready ztunnel serves the node. */
export interface ZtunnelLead {
  /** Something about ztunnels is different: they are looked at when it is their turn. */
  look(): void
  /** Who serves; `undefined` where none is ready, or could be started yet. */
  serving(): ZtunnelPod | undefined
  /** Why it is not as it should be, a sentence. */
  problem(): string | undefined
  idle(): Promise<void>
}

/** Nobody serves the node until the first look. */
export function ztunnelLead({ kernel, ztunnels, find, serves, log, signal }: ZtunnelLeadOptions): ZtunnelLead {
  let serving: ZtunnelPod | undefined
  let isTold = false
  let failure: string | undefined
  const calm = calmLog(log, 'a ztunnel serves the node')

  const look = async (): Promise<void> => {
    const elected = electZtunnel(ztunnels())
    if (isTold && isSame(serving, elected)) {
      failure = undefined
      return
    }
    if (elected !== undefined) {
      const { uid, name, ip, dnsCapture } = elected
      using netns = await find(uid, [ip])
      // The node may be left by now: what came after would stay.
      if (signal.aborted) return
      if (netns === undefined) throw new Error(noNamespaceOf(`ztunnel ${name}`, uid))
      const { changed, warnings } = await kernel.start({ uid, name, ip, netns, dnsCapture })
      for (const text of warnings) log.warn(printable(text))
      const reason = serving === undefined ? 'the first that is ready' : `in the place of ${serving.name}`
      log.info(`ztunnel ${printable(name)} serves the node: ${reason}`, { ip, dnsCapture, changed: changed.length })
    } else {
      if (serving !== undefined) {
        log.warn('no ztunnel is ready on this node: once the last one has ended, what pods in the mesh send is dropped')
      }
      const { changed, warnings } = await kernel.pause()
      for (const text of warnings) log.warn(printable(text))
      if (changed.length > 0) log.info('nothing new is led to a ztunnel', { changed: printable(changed.join('; ')) })
    }
    isTold = false
    serving = elected
    await serves(elected)
    isTold = true
    failure = undefined
    calm.worked()
  }
  const queue = podQueue({
    look,
    failed(_, error, pauseMs) {
      failure = printable(messageOf(error))
      calm.failed(`no ztunnel can be started on this node: ${failure}`, { nextAttemptInMs: pauseMs })
    },
    signal,
  })
  return {
    look: () => queue.look(ZTUNNELS),
    serving: () => serving,
    problem: () => failure,
    idle: queue.idle,
  }
}

// internal

/** All of them are one line in the queue. */
const ZTUNNELS = 'ztunnels'

const isSame = (one: ZtunnelPod | undefined, other: ZtunnelPod | undefined): boolean =>
  one?.uid === other?.uid && one?.ip === other?.ip && one?.dnsCapture === other?.dnsCapture
