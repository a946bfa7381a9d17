import type { Netns } from '@cni/netns'
import type { FoundNamespaces } from '../../proc/find-pod-namespaces.ts'

/** Finds the namespaces of pods one by one, by few looks at the node's processes. */
export interface NamespaceFinder {
  /** The namespace of a pod with these addresses, which whoever asked closes; `undefined`: none was found. */
  find(uid: string, addresses: readonly string[]): Promise<Netns | undefined>
}

/** How a {@link namespaceFinder} looks. */
export interface NamespaceFinderOptions {
  readonly look: (wanted: ReadonlyMap<string, readonly string[]>) => Promise<FoundNamespaces>
  /** Told of what is odd. */
  readonly warn: (text: string) => void
}

/** A finder; whoever asks while it looks is part of the next look, as are all others who do. */
export function namespaceFinder({ look, warn }: NamespaceFinderOptions): NamespaceFinder {
  const asked = new Map<string, Asked[]>()
  let isLooking = false

  async function run(): Promise<void> {
    // Those who ask in the same moment share a look.
    await undefined
    while (asked.size > 0) {
      const turn = new Map(asked)
      asked.clear()
      try {
        const addresses = [...turn].map(([uid, askers]) => [uid, askers.flatMap((one) => one.addresses)] as const)
        const { namespaces, warnings } = await look(new Map(addresses))
        for (const text of warnings) warn(text)
        for (const [uid, askers] of turn) {
          // A handle has one owner.
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
