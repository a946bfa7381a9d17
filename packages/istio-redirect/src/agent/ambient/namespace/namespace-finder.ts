import type { Netns } from '@cni/netns'
import type { FoundNamespaces } from '../../proc/find-pod-namespaces.ts'

/** Finds the network namespaces of pods. Concurrent requests share one snapshot of the node. */
export interface NamespaceFinder {
  /** Finds the network namespace of a pod, which the caller closes. */
  find(uid: string, addresses: readonly string[]): Promise<Netns | undefined>
}

/** Options of {@link namespaceFinder}, which finds the network namespaces of pods. */
export interface NamespaceFinderOptions {
  readonly look: (wanted: ReadonlyMap<string, readonly string[]>) => Promise<FoundNamespaces>
  /** Called with each warning of a search for namespaces. */
  readonly warn: (text: string) => void
}

/** Creates a finder of network namespaces. Requests that arrive during a search share the next search. */
export function namespaceFinder({ look, warn }: NamespaceFinderOptions): NamespaceFinder {
  const asked = new Map<string, Asked[]>()
  let isLooking = false

  async function run(): Promise<void> {
    // Waits a microtask before the search. Simultaneous requests for namespaces then share the search.
    await undefined
    while (asked.size > 0) {
      const turn = new Map(asked)
      asked.clear()
      try {
        const addresses = [...turn].map(([uid, askers]) => [uid, askers.flatMap((one) => one.addresses)] as const)
        const { namespaces, warnings } = await look(new Map(addresses))
        for (const text of warnings) warn(text)
        for (const [uid, askers] of turn) {
          // Gives the namespace to one request, because a handle has one owner. Other requests search again.
          const [first, ...others] = askers
          first?.resolve(namespaces.get(uid))
          for (const other of others) void find(uid, other.addresses).then(other.resolve, other.reject)
        }
      } catch (error) {
        for (const askers of turn.values()) for (const one of askers) one.reject(error)
      }
    }
    isLooking = false
  }

  function find(uid: string, addresses: readonly string[]): Promise<Netns | undefined> {
    return new Promise((resolve, reject) => {
      asked.set(uid, [...(asked.get(uid) ?? []), { addresses, resolve, reject }])
      if (isLooking) return
      isLooking = true
      void run()
    })
  }

  return { find }
}

// internal

interface Asked {
  readonly addresses: readonly string[]
  readonly resolve: (found: Netns | undefined) => void
  readonly reject: (error: unknown) => void
}
