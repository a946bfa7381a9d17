import type { KernelSide } from '../../../istio-node-level/src/kernel-side.ts'
import { NodeLevelError } from '../../../istio-node-level/src/node-level-error.ts'

/** In-memory test double of the kernel for node-level redirection. Its state outlives agents. */
export type MemoryKernel = ReturnType<typeof memoryKernel>

/** Creates a test double of the kernel without redirected pods. */
export function memoryKernel() {
  /** Redirected pods in the test double: UIDs by address. Tests may change them. */
  const entries = new Map<string, string | undefined>()
  const wanted = new Map<string, string>()
  /** Calls that the agent made to the test double, as text, the oldest first. */
  const calls: string[] = []
  /** Errors with which the next calls of `start` fail, one for each call. */
  const refusals: Error[] = []
  /** UID of the ztunnel that was started last. */
  let ztunnel: string | undefined
  const done = (...changed: readonly string[]) => ({ changed, warnings: [] })
  const ownedBy = (uid: string): string[] =>
    [...entries].flatMap(([address, owner]) => (owner === uid ? [address] : []))
  const put = (address: string, uid: string): string[] => {
    wanted.set(address, uid)
    if (entries.get(address) === uid) return []
    entries.set(address, uid)
    return [`added ${address}`]
  }
  const remove = (addresses: readonly string[]): void => {
    for (const address of addresses) {
      entries.delete(address)
      wanted.delete(address)
    }
  }
  const drift = (): string[] =>
    [...wanted].flatMap(([address, uid]) => (entries.get(address) === uid ? [] : [`missing ${address} of pod ${uid}`]))
  const kernel: KernelSide = {
    async start({ uid, ip, dnsCapture }) {
      const refusal = refusals.shift()
      if (refusal !== undefined) throw refusal
      calls.push(`start ${uid} ${ip}${dnsCapture ? ' with DNS' : ''}`)
      const changed = ztunnel === uid ? [] : [`ztunnel ${uid}`]
      ztunnel = uid
      return done(...changed)
    },
    async pause() {
      calls.push('pause')
      return done()
    },
    async addPod({ uid, addresses }) {
      if (ztunnel === undefined) throw new NodeLevelError('NO_ZTUNNEL', 'no ztunnel was started on this node')
      const ours = addresses.filter((address) => !address.includes(':'))
      const old = ownedBy(uid).filter((address) => !ours.includes(address))
      remove(old)
      const changed = ours.flatMap((address) => put(address, uid))
      if (changed.length + old.length > 0) calls.push(`add ${uid} ${ours.join(' ')}`)
      return done(...changed)
    },
    async removePod(uid) {
      const old = ownedBy(uid)
      remove(old)
      if (old.length > 0) calls.push(`remove ${uid}`)
      return old
    },
    async retainPods(uids) {
      const gone = [...entries].flatMap(([address, uid]) => (uid === undefined || !uids.has(uid) ? [address] : []))
      calls.push(...gone.map((address) => `remove ${entries.get(address)}`))
      remove(gone)
      return gone
    },
    listPods: async () => [...entries].map(([address, uid]) => ({ address, uid })),
    drift: async () => drift(),
    async heal() {
      const missing = drift()
      for (const [address, uid] of wanted) entries.set(address, uid)
      calls.push('heal')
      return done(...missing)
    },
    async stop() {
      calls.push('stop')
      entries.clear()
      wanted.clear()
      ztunnel = undefined
    },
    [Symbol.dispose]: () => void calls.push('let go'),
  }
  return { ...kernel, calls, entries, refusals }
}
