import type { Netns } from '@cni/netns'
import { messageOf } from '@cni/types'
import type { NodeSnapshot } from './node-snapshot.ts'
import { openUnowned } from './open-namespace.ts'
import { addressesIn, identifyingAddresses } from './pod-addresses.ts'
import { olderFirst, type StartedProcess, startTimeOf } from './proc-files.ts'
import type { Holders } from './sought-pod.ts'

/** Options of {@link findByAddress}, the search for the namespaces of pods by IP address. */
export interface ByAddressOptions {
  /** Map from keys (`dev:ino`) of network namespaces to UIDs of the pods with processes in the namespace. */
  readonly owners: ReadonlyMap<string, readonly string[]>
  readonly holders: Holders
  /** Map to which the search adds the network namespaces of pods. */
  readonly found: Map<string, Netns>
}

/** Finds namespaces by the addresses of pods, for pods without visible processes. */
export async function findByAddress(
  snapshot: NodeSnapshot,
  wanted: ReadonlyMap<string, readonly string[]>,
  { owners, holders, found }: ByAddressOptions,
): Promise<readonly string[]> {
  const sought = [...wanted].flatMap(([uid, given]) => {
    const addresses = identifyingAddresses(given)
    return addresses.length === 0 ? [] : [{ uid, addresses }]
  })
  const warnings: string[] = []
  if (sought.length === 0) return warnings
  using best = new Candidates()
  let inspected = 0
  for (const key of snapshot.namespaces.keys()) {
    const mayBe = sought.filter(({ uid }) => (holders.get(key) ?? uid) === uid)
    if (mayBe.length === 0 || (owners.get(key) ?? []).length > 0) continue
    inspected += 1
    if (inspected > MAX_NAMESPACES) break
    let opened: Netns | undefined
    try {
      opened = openUnowned(snapshot, key)
      if (opened === undefined) continue
      const there = await addressesIn(opened)
      const [only, ...others] = mayBe.filter(({ addresses }) => addresses.every((address) => there.has(address)))
      if (only !== undefined && others.length === 0)
        opened = best.offer(only.uid, { opened, ...oldestIn(snapshot, key) })
    } catch (error) {
      warnings.push(`cannot inspect a namespace: ${messageOf(error)}`)
    } finally {
      opened?.close()
    }
  }
  for (const { uid } of sought) {
    const { opened, rival } = best.take(uid) ?? {}
    if (opened === undefined) continue
    if (rival === undefined) found.set(uid, opened)
    else {
      opened.close()
      warnings.push(`${opened.path} and ${rival} both have the addresses of the pod with UID ${uid}: using neither`)
    }
  }
  return warnings.slice(0, MAX_WARNINGS)
}

// internal

const MAX_WARNINGS = 16
/** Maximal number of network namespaces that a search by address inspects. */
const MAX_NAMESPACES = 4096

interface Candidate {
  readonly opened: Netns
  /**
   * Oldest process in the candidate namespace. `undefined` for a namespace without processes, which is only mounted.
   */
  readonly oldest: StartedProcess | undefined
  /** Path of another namespace that also matches the pod. If two namespaces match, the search uses neither. */
  readonly rival?: string | undefined
}

/** Best candidate namespace of each pod so far. A namespace with an older process is better. */
class Candidates implements Disposable {
  readonly #best = new Map<string, Candidate>()

  /** Keeps the better namespace of a pod. Returns the rejected namespace, which the caller closes. */
  offer(uid: string, candidate: Candidate): Netns | undefined {
    const before = this.#best.get(uid)
    if (before === undefined || isBetter(candidate, before)) {
      this.#best.set(uid, candidate)
      return before?.opened
    }
    if (before.oldest === undefined) this.#best.set(uid, { ...before, rival: candidate.opened.path })
    return candidate.opened
  }

  take(uid: string): Candidate | undefined {
    const candidate = this.#best.get(uid)
    this.#best.delete(uid)
    return candidate
  }

  [Symbol.dispose](): void {
    for (const { opened } of this.#best.values()) opened.close()
  }
}

const isBetter = ({ oldest: one }: Candidate, { oldest: other }: Candidate): boolean =>
  one !== undefined && (other === undefined || olderFirst(one, other) < 0)

function oldestIn({ namespaces, hostProc }: NodeSnapshot, key: string): Pick<Candidate, 'oldest'> {
  const processes = (namespaces.get(key)?.pids ?? []).map((pid) => ({ pid, startTime: startTimeOf(hostProc, pid) }))
  return { oldest: processes.sort(olderFirst)[0] }
}
