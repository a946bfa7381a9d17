import { join } from 'node:path'
import type { KernelReport, KernelSide } from '@cni/istio-node-level'
import { type AmbientPod, podRef, redirectionStatus } from '@cni/istio-rules'
import { type Netns, netns } from '@cni/netns'
import { messageOf, printable } from '@cni/types'
import type { ScopedLog } from '../../shared/deps.ts'
import type { WriteAnnotation } from '../pods/annotation-writer.ts'
import { type Enroller, noNamespaceOf } from '../pods/enroller.ts'
import { EnrolmentError } from '../pods/enrolment-error.ts'

/** Options of {@link nodeEnroller}, which adds pods to node-level redirection. */
export interface NodeEnrollerOptions {
  readonly kernel: Pick<KernelSide, 'addPod' | 'removePod'>
  /** True if node-level redirection needs the network namespaces of pods, as with eBPF. */
  readonly needsNetns: boolean
  readonly find: (uid: string, addresses: readonly string[]) => Promise<Netns | undefined>
  /** Prefix for namespace paths from plugins: `/host` if the agent runs in a pod. */
  readonly hostRoot: string
  readonly annotate: WriteAnnotation
  readonly log: ScopedLog
}

/** Creates an `Enroller` that adds single pods to node-level redirection, and removes them. */
export function nodeEnroller(options: NodeEnrollerOptions): Enroller {
  const { kernel, log, annotate } = options

  const namespaceOf = async (pod: AmbientPod, addresses: readonly string[], path = ''): Promise<Netns | undefined> => {
    if (!options.needsNetns) return undefined
    if (path !== '') return netns.open(join(options.hostRoot, path))
    const found = await options.find(pod.uid, [...addresses, ...pod.addresses])
    if (found === undefined) throw new Error(noNamespaceOf(`pod ${podRef(pod)}`, pod.uid))
    return found
  }
  const add = async (pod: AmbientPod, addresses: readonly string[], path?: string): Promise<void> => {
    using opened = await namespaceOf(pod, addresses, path)
    logWarnings(pod, await kernel.addPod({ uid: pod.uid, addresses, netns: opened }))
    const off = addresses.filter((address) => address.includes(':'))
    if (off.length === 0) return
    log.warn(
      `traffic of the pod over ${off.join(', ')} is not in the mesh: node-level redirection supports IPv4 only`,
      {
        pod: podRef(pod),
      },
    )
  }
  const logWarnings = (pod: AmbientPod, { warnings }: KernelReport): void => {
    for (const text of warnings) log.warn(printable(text), { pod: podRef(pod) })
  }

  return {
    annotate,
    readdress: (pod, addresses) => add(pod, addresses),
    async enrol(pod, { addresses, netns: path, signal, reach }) {
      signal?.throwIfAborted()
      try {
        await add(pod, addresses, path)
      } catch (cause) {
        throw new EnrolmentError('UNACKNOWLEDGED', messageOf(cause), { cause })
      }
      reach({ status: 'enabled', addresses })
      try {
        await annotate(pod, 'enabled')
      } catch (cause) {
        throw new EnrolmentError('INCOMPLETE', messageOf(cause), { cause })
      }
    },
    async leave(pod, { patch }) {
      await kernel.removePod(pod.uid)
      // Keeps unknown annotation values, because a user may have written the annotation.
      if (patch !== undefined && redirectionStatus(pod) !== undefined) await annotate(pod, undefined, patch)
    },
    heal: async () => [],
  }
}
