import type { Netns } from '@cni/netns'
import type { FoundNamespaces } from '../../proc/find-pod-namespaces.ts'

/** Finds the network namespaces of pods. Concurrent requests share one snapshot of the node. */
export interface NamespaceFinder {
  /** Finds the network namespace of a pod, which the caller closes. */
  find(uid: string, addresses: readonly string[]): Promise<Netns | undefined>
}

/** Options of {@link namespaceFinder}, which finds the network namespaces of pods. */
export interface NamespaceFinderOptions {
  readonly search: (wanted: ReadonlyMap<string, readonly string[]>) => Promise<FoundNamespaces>
  /** Called with each warning of a search for namespaces. */
  readonly warn: (text: string) => void
}

/** Creates a finder of network namespaces. Requests that arrive during a search share the next search. */
export function namespaceFinder({ search, warn }: NamespaceFinderOptions): NamespaceFinder {
  const waiting = new Map<string, WaitingRequest[]>()
  let isSearching = false

  async function run(): Promise<void> {
    // Waits a microtask before the search. Simultaneous requests for namespaces then share the search.
    await undefined
    while (waiting.size > 0) {
      const batch = new Map(waiting)
      waiting.clear()
      try {
        const addresses = [...batch].map(([uid, requests]) => [uid, requests.flatMap((one) => one.addresses)] as const)
        const { namespaces, warnings } = await search(new Map(addresses))
        for (const text of warnings) warn(text)
        for (const [uid, requests] of batch) {
          // Gives the namespace to one request, because a handle has one owner. Other requests search again.
          const [first, ...others] = requests
          first?.resolve(namespaces.get(uid))
          for (const other of others) void find(uid, other.addresses).then(other.resolve, other.reject)
        }
      } catch (error) {
        for (const requests of batch.values()) for (const one of requests) one.reject(error)
      }
    }
    isSearching = false
  }

  function find(uid: string, addresses: readonly string[]): Promise<Netns | undefined> {
    return new Promise((resolve, reject) => {
      waiting.set(uid, [...(waiting.get(uid) ?? []), { addresses, resolve, reject }])
      if (isSearching) return
      isSearching = true
      void run()
    })
  }

  return { find }
}

// internal

interface WaitingRequest {
  readonly addresses: readonly string[]
  readonly resolve: (found: Netns | undefined) => void
  readonly reject: (error: unknown) => void
}
