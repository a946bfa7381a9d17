import { diskFolder, isStateError, type StateFolder } from '@cni/skel'
import { formatAddress, parseAddress } from '@cni/types/ip'
import * as z from 'zod/mini'

/** Attachment to which an address is leased: container and interface. */
export interface Holder {
  readonly containerID: string
  readonly ifName: string
}

/** Lease of one address, read from the address's file in the network's folder. */
export interface Lease {
  readonly address: string
  /** Attachment that holds the address. `undefined` if the lease's file is invalid: the address counts as used. */
  readonly holder: Holder | undefined
  /** Reason why the lease's file is invalid. */
  readonly problem?: string
}

const content = z.object({ containerID: z.string(), ifName: z.string() })

/** Manages the leases of one network, which are files in a folder. Callers must hold the folder's lock. */
export function leasesIn(path: string, folder: StateFolder = diskFolder(path)) {
  const leaseOf = (address: string): Lease => {
    try {
      const parsed = content.safeParse(JSON.parse(folder.read(address) ?? ''))
      if (parsed.success) return { address, holder: parsed.data }
      return { address, holder: undefined, problem: 'it names no attachment' }
    } catch (error) {
      if (!isStateError(error) && !(error instanceof SyntaxError)) throw error
      return { address, holder: undefined, problem: error.message }
    }
  }
  const release = (address: string): void => void folder.remove(address)
  return {
    list: (): Lease[] => folder.list().filter(isAddress).map(leaseOf),
    /** Leases an address to an attachment. Returns a function that releases the address. */
    take(address: string, { containerID, ifName }: Holder): () => void {
      folder.write(address, JSON.stringify({ containerID, ifName }))
      return () => release(address)
    },
    release,
  }
}

/** True if the file name is an address in canonical notation. The plugin ignores all other files. */
function isAddress(name: string): boolean {
  const bytes = parseAddress(name)
  return bytes !== undefined && formatAddress(bytes) === name
}
