import type { Netns } from '@cni/netns'
import { messageOf } from '@cni/types'
import type { NodeLook } from './node-look.ts'
import { openUnowned } from './open-seen.ts'
import { addressesIn, tellingAddresses } from './pod-addresses.ts'
import { olderFirst, type StartedProcess, startTimeOf } from './proc-files.ts'
import type { Holders } from './sought-pod.ts'

/** What {@link findByAddress} works with. */
export interface ByAddressOptions {
  /** UIDs of the pods that have processes in a namespace, by the namespace. */
  readonly owners: ReadonlyMap<string, readonly string[]>
  readonly holders: Holders
  /** Gets the namespaces that are found. */
  readonly found: Map<string, Netns>
}

/**
 * Puts the namespaces of pods without a process that says their UID into `found`: those with all of their addresses, and
 * no process of any pod in them. Returns warnings.
 */
export async function findByAddress(
  look: NodeLook,
  wanted: ReadonlyMap<string, readonly string[]>,
  { owners, holders, found }: ByAddressOptions,
): Promise<readonly string[]> {
  const sought = [...wanted].flatMap(([uid, given]) => {
    const addresses = tellingAddresses(given)
    return addresses.length === 0 ? [] : [{ uid, addresses }]
  })
  const warnings: string[] = []
  if (sought.length === 0) return warnings
  using best = new Candidates()
  let looked = 0
  for (const key of look.namespaces.keys()) {
    const mayBe = sought.filter(({ uid }) => (holders.get(key) ?? uid) === uid)
    if (mayBe.length === 0 || (owners.get(key) ?? []).length > 0) continue
    looked += 1
    if (looked > MOST_LOOKS) break
    let opened: Netns | undefined
    try {
      opened = openUnowned(look, key)
      if (opened === undefined) continue
      const there = await addressesIn(opened)
      const [only, ...others] = mayBe.filter(({ addresses }) => addresses.every((address) => there.has(address)))
      if (only !== undefined && others.length === 0) opened = best.offer(only.uid, { opened, ...oldestIn(look, key) })
    } catch (error) {
      warnings.push(`a namespace cannot be looked at: ${messageOf(error)}`)
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
      warnings.push(`${opened.path} and ${rival} both have the addresses of the pod with UID ${uid}: neither is taken`)
    }
  }
  return warnings.slice(0, MOST_WARNINGS)
}

// internal

const MOST_WARNINGS = 16
/** As many namespaces as mounts are looked at. */
const MOST_LOOKS = 4096

interface Candidate {
  readonly opened: Netns
  /** `undefined`: the namespace is only mounted. */
  readonly oldest: StartedProcess | undefined
  /** The path of another one that is as good. */
  readonly rival?: string | undefined
}

/** The best candidate of each pod so far; one with older processes is better, one without processes is the last choice. */
class Candidates implements Disposable {
  readonly #best = new Map<string, Candidate>()

  /** Keeps the better one and returns the handle of the other. */
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

function oldestIn({ namespaces, hostProc }: NodeLook, key: string): Pick<Candidate, 'oldest'> {
  const processes = (namespaces.get(key)?.pids ?? []).map((pid) => ({ pid, startTime: startTimeOf(hostProc, pid) }))
  return { oldest: processes.sort(olderFirst)[0] }
}
