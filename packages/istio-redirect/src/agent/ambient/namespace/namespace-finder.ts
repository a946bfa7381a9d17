import type { Netns } from '@cni/netns'
import type { FoundNamespaces } from '../../proc/find-pod-namespaces.ts'

/** Finds the namespaces of pods, with one snapshot of the node for all concurrent requests. */
export interface NamespaceFinder {
  /** Finds the namespace of a pod with these addresses. The caller closes it. `undefined` if it is not found. */
  find(uid: string, addresses: readonly string[]): Promise<Netns | undefined>
}

/** Options of {@link namespaceFinder}. */
export interface NamespaceFinderOptions {
  readonly look: (wanted: ReadonlyMap<string, readonly string[]>) => Promise<FoundNamespaces>
  /** Receives warnings of the search. */
  readonly warn: (text: string) => void
}

/** Creates a finder. Requests during a search share the next search. */
export function namespaceFinder({ look, warn }: NamespaceFinderOptions): NamespaceFinder {
  const asked = new Map<string, Asked[]>()
  let isLooking = false

  async function run(): Promise<void> {
    // Waits a microtask, so that simultaneous requests share a search.
    await undefined
    while (asked.size > 0) {
      const turn = new Map(asked)
      asked.clear()
      try {
        const addresses = [...turn].map(([uid, askers]) => [uid, askers.flatMap((one) => one.addresses)] as const)
        const { namespaces, warnings } = await look(new Map(addresses))
        for (const text of warnings) warn(text)
        for (const [uid, askers] of turn) {
          // A handle has one owner, so further requests for the same pod search again.
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
