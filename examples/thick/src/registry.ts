import type { AttachmentKey } from '@cni/skel'
import { formatAddress, parsePrefix } from '@cni/types/ip'
import * as z from 'zod/mini'

/** Data that the who-is daemon keeps for each attachment: addresses, and the pod if known. */
export const attachment = z.object({
  /** Addresses of the attachment with prefix lengths, as in a CNI result. */
  addresses: z.array(z.string()),
  pod: z.optional(z.object({ namespace: z.string(), name: z.string() })),
})

export type Attachment = z.infer<typeof attachment>

/** Data of an attachment with its key: network, container id and interface. */
export type Known = AttachmentKey & Attachment

/** All attachments of the node, in the who-is daemon's memory. */
export interface Registry {
  readonly size: number
  /** Stores an attachment's data. Returns a function that restores the attachment's previous data. */
  put(key: AttachmentKey, attachment: Attachment): () => void
  remove(key: AttachmentKey): void
  has(key: AttachmentKey): boolean
  /** Finds all attachments that have an address. Several networks may have leased the same address. */
  whoIs(address: string): Known[]
}

/** Creates a registry without attachments. */
export function registry(): Registry {
  const known = new Map<string, Known>()
  const textOf = ({ network, containerID, ifName }: AttachmentKey): string => `${network}\0${containerID}\0${ifName}`
  return {
    get size() {
      return known.size
    },
    put(key, attachment) {
      const text = textOf(key)
      const before = known.get(text)
      known.set(text, { ...key, ...attachment })
      return () => void (before === undefined ? known.delete(text) : known.set(text, before))
    },
    remove: (key) => void known.delete(textOf(key)),
    has: (key) => known.has(textOf(key)),
    whoIs(address) {
      const wanted = plain(address)
      if (wanted === undefined) return []
      return [...known.values()].filter(({ addresses }) => addresses.some((each) => plain(each) === wanted))
    },
  }
}

/** Converts an address to canonical form and drops its prefix length. */
function plain(address: string): string | undefined {
  const prefix = parsePrefix(address)
  return prefix === undefined ? undefined : formatAddress(prefix.bytes)
}
