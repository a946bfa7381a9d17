import { useKindProbe } from '../handle/kind.ts'
import { NetnsError } from '../handle/netns-error.ts'
import { CLONE_NEWNET } from './constants.ts'
import type { Sys } from './sys.ts'
import { sysBun } from './sys-bun.ts'
import { sysKoffi } from './sys-koffi.ts'
import { sysNode } from './sys-node.ts'
import { sysSmall } from './sys-small.ts'

let loaded: Sys | NetnsError | undefined

/**
 * Loads the system calls of this JavaScript runtime. Uses the first available of the small runtime, bun:ffi, node:ffi
 * and koffi. Throws `NetnsError('NO_FFI')` if no implementation is available.
 */
export function loadSys(): Sys {
  loaded ??= load()
  if (loaded instanceof NetnsError) throw loaded
  return loaded
}

/**
 * Loads the system calls of this JavaScript runtime, as {@link loadSys} does. Returns `undefined` if no FFI is
 * available.
 */
export function tryLoadSys(): Sys | undefined {
  loaded ??= load()
  return loaded instanceof NetnsError ? undefined : loaded
}

function load(): Sys | NetnsError {
  const reasons: unknown[] = []
  for (const implementation of implementations()) {
    try {
      const sys = implementation()
      if (sys === undefined) continue
      useKindProbe((fd) => kindOf(sys, fd))
      return sys
    } catch (error) {
      reasons.push(error)
    }
  }
  return new NetnsError(
    'NO_FFI',
    `No system calls on ${process.platform} with Node ${process.version}: install the package koffi, or use Node 26.9 or bun`,
    { cause: reasons.length === 1 ? reasons[0] : new AggregateError(reasons) },
  )
}

// A bundler evaluates the conditions on `process.versions`. An executable contains only the code for its own JavaScript
// runtime.
const largeRuntimes = () => (process.versions.bun === undefined ? [sysNode, sysKoffi] : [sysBun])
const implementations = () => (process.versions.cni === undefined ? largeRuntimes() : [sysSmall])

const NS_GET_NSTYPE = 0xb703

function kindOf(sys: Sys, fd: number): string | undefined {
  try {
    return sys.ioctl(fd, NS_GET_NSTYPE, new Uint8Array(8)) === CLONE_NEWNET ? 'net' : 'different'
  } catch {
    // Linux before 4.11 lacks the ioctl that reports a namespace's kind (ENOTTY).
    return undefined
  }
}
