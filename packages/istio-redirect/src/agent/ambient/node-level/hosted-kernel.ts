import type { hostIpOf, KernelSide } from '@cni/istio-node-level'
import { messageOf, printable } from '@cni/types'
import type { ScopedLog } from '../../shared/deps.ts'
import type { ChosenKernelSide } from '../kernel-sides.ts'

/** IPv4 address of the node, with a reason for the log why this address was chosen. */
export type HostIp = ReturnType<typeof hostIpOf>

/** Options of {@link hostedKernel}, which follows changes of the node's address. */
export interface HostedKernelOptions {
  /** Finds the node's current address. Called once at the beginning, and again before each start of a ztunnel. */
  readonly ask: () => Promise<HostIp>
  readonly make: (hostIp: string) => Promise<ChosenKernelSide>
  readonly log: ScopedLog
}

/** Kernel part of node-level redirection that queries the node's address at each start of a ztunnel. */
export interface HostedKernel extends ChosenKernelSide {
  hostIp(): string
}

/** Creates the `KernelSide`. Each start of a ztunnel queries the node's address, because the address may change. */
export async function hostedKernel({ ask, make, log }: HostedKernelOptions): Promise<HostedKernel> {
  const logAddress = (text: string, { ip, why }: HostIp): void => log.info(text, { hostIp: ip, why: printable(why) })
  let address = await ask()
  logAddress("found the node's address", address)
  const made = await make(address.ip)
  let side = made.kernel
  /**
   * Creates a `KernelSide` if the node's address has changed. Returns `undefined` if the address is unchanged or
   * unknown.
   */
  const another = async (): Promise<{ readonly next: KernelSide; readonly now: HostIp } | undefined> => {
    try {
      const now = await ask()
      return now.ip === address.ip ? undefined : { next: (await make(now.ip)).kernel, now }
    } catch (error) {
      log.warn(`cannot query the node's address, keeping ${address.ip}: ${printable(messageOf(error))}`)
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
        logAddress("the node's address has changed", now)
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
