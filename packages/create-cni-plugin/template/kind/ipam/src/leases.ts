import { diskFolder, isStateError, type StateFolder } from '@cni/skel'
import { formatAddress, parseAddress } from '@cni/types/ip'
import * as z from 'zod/mini'

/** Attachment that holds an address. */
export interface Holder {
  readonly containerID: string
  readonly ifName: string
}

/** An address in use. */
export interface Lease {
  readonly address: string
  /** `undefined` if the file is invalid. The address then counts as used, and DEL does not release it. */
  readonly holder: Holder | undefined
  /** Reason why the file is invalid. */
  readonly problem?: string
}

const content = z.object({ containerID: z.string(), ifName: z.string() })

/** Leases of a network: one file for each address, named after the address. Callers hold the lock of the folder. */
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
    /** Takes an address. Returns a function that undoes it. */
    take(address: string, { containerID, ifName }: Holder): () => void {
      folder.write(address, JSON.stringify({ containerID, ifName }))
      return () => release(address)
    },
    release,
  }
}

/** True for an address in the notation that this plugin writes. */
function isAddress(name: string): boolean {
  const bytes = parseAddress(name)
  return bytes !== undefined && formatAddress(bytes) === name
}
