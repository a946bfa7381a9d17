import { loadSys } from './load-sys.ts'
import type { Native, Signatures } from './native.ts'
import { nativeBun } from './sys-bun.ts'
import { nativeKoffi } from './sys-koffi.ts'
import { nativeNode } from './sys-node.ts'
import { nativeSmall } from './sys-small.ts'

/**
 * Binds libc functions that `Sys` lacks, through the FFI that `loadSys` found.
 *
 * @typeParam F - type of the functions, which must agree with `signatures`
 */
export function loadNative<F>(signatures: Signatures): Native<F> {
  const { name } = loadSys()
  // A bundler evaluates the conditions on `process.versions`. An executable contains only the code for its own
  // JavaScript runtime.
  return process.versions.cni === undefined ? ofLibc<F>(name, signatures) : nativeSmall<F>(signatures)
}

// internal

function ofLibc<F>(name: string, signatures: Signatures): Native<F> {
  if (process.versions.bun !== undefined) return nativeBun<F>(signatures)
  return name === 'koffi' ? nativeKoffi<F>(signatures) : nativeNode<F>(signatures)
}
