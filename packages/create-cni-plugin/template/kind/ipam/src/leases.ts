import { diskFolder, isStateError, type StateFolder } from '@cni/skel'
import { formatAddress, parseAddress } from '@cni/types/ip'
import * as z from 'zod/mini'

/** The attachment that has an address. */
export interface Holder {
  readonly containerID: string
  readonly ifName: string
}

/** An address that is taken. */
export interface Lease {
  readonly address: string
  /** `undefined`: the file does not say. The address counts as taken, and no DEL releases it. */
  readonly holder: Holder | undefined
  /** Why the file does not say. */
  readonly problem?: string
}

const content = z.object({ containerID: z.string(), ifName: z.string() })

/** The leases of a network: one file for each address, whose name is the address. Callers hold the lock of the folder. */
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
    /** Gives back the step that undoes it. */
    take(address: string, { containerID, ifName }: Holder): () => void {
      folder.write(address, JSON.stringify({ containerID, ifName }))
      return () => release(address)
    },
    release,
  }
}

/** Names in the one form that this plugin writes. */
function isAddress(name: string): boolean {
  const bytes = parseAddress(name)
  return bytes !== undefined && formatAddress(bytes) === name
}
