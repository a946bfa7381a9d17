import type { hostIpOf, KernelSide } from '@cni/istio-node-level'
import { messageOf, printable } from '@cni/types'
import type { ScopedLog } from '../../part/services.ts'
import type { ChosenKernelSide } from '../kernel-sides.ts'

/** Address of the node, and the reason for the log. */
export type HostIp = ReturnType<typeof hostIpOf>

/** What a {@link hostedKernel} works with. */
export interface HostedKernelOptions {
  /** Asked once, and again each time a ztunnel is started. */
  readonly ask: () => Promise<HostIp>
  readonly make: (hostIp: string) => Promise<ChosenKernelSide>
  readonly log: ScopedLog
}

/** A kernel's side that follows the node's address. */
export interface HostedKernel extends ChosenKernelSide {
  hostIp(): string
}

/**
 * A kernel's side for the address that the node has when a ztunnel is started: on ptp networks the first pod brings the
 * address from which probes come. With another address it is made anew, which compares what the former one left.
 */
export async function hostedKernel({ ask, make, log }: HostedKernelOptions): Promise<HostedKernel> {
  const tell = (text: string, { ip, why }: HostIp): void => log.info(text, { hostIp: ip, why: printable(why) })
  let address = await ask()
  tell("the node's address is known", address)
  const made = await make(address.ip)
  let side = made.kernel
  /** The side for another address than before, if the node has one. */
  const another = async (): Promise<{ readonly next: KernelSide; readonly now: HostIp } | undefined> => {
    try {
      const now = await ask()
      return now.ip === address.ip ? undefined : { next: (await make(now.ip)).kernel, now }
    } catch (error) {
      log.warn(`the node's address is taken to be ${address.ip} still: ${printable(messageOf(error))}`)
      return undefined
    }
  }
  const kernel: KernelSide = {
    async start(ztunnel) {
      const found = await another()
      if (found === undefined) return side.start(ztunnel)
      const { next, now } = found
      try {
        const report = await next.start(ztunnel)
        side[Symbol.dispose]()
        side = next
        address = now
        tell("the node's address is another one", now)
        return report
      } catch (error) {
        next[Symbol.dispose]()
        throw error
      }
    },
    pause: () => side.pause(),
    addPod: (pod) => side.addPod(pod),
    removePod: (uid) => side.removePod(uid),
    retainPods: (uids) => side.retainPods(uids),
    listPods: () => side.listPods(),
    drift: () => side.drift(),
    heal: () => side.heal(),
    stop: () => side.stop(),
    [Symbol.dispose]: () => side[Symbol.dispose](),
  }
  return { ...made, kernel, hostIp: () => address.ip }
}
