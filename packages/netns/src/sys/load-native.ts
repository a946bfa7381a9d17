import { loadSys } from './load-sys.ts'
import type { Native, Signatures } from './native.ts'
import { nativeBun } from './sys-bun.ts'
import { nativeKoffi } from './sys-koffi.ts'
import { nativeNode } from './sys-node.ts'
import { nativeSmall } from './sys-small.ts'

/**
 * Functions of libc through what `loadSys` found. Throws `NetnsError('NO_FFI')` as that does.
 *
 * @typeParam F the functions; `signatures` must fit
 */
export function loadNative<F>(signatures: Signatures): Native<F> {
  const { name } = loadSys()
  // Conditions that a bundler can decide, as in load-sys.ts.
  return process.versions.cni === undefined ? ofLibc<F>(name, signatures) : nativeSmall<F>(signatures)
}

// internal

function ofLibc<F>(name: string, signatures: Signatures): Native<F> {
  if (process.versions.bun !== undefined) return nativeBun<F>(signatures)
  return name === 'koffi' ? nativeKoffi<F>(signatures) : nativeNode<F>(signatures)
}
