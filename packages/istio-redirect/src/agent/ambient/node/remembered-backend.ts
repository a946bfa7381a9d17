import { readRegularFile, writeFileAtomic } from '@cni/host'
import type { IptablesBackend } from '@cni/iptables'
import { isObject, messageOf, quote } from '@cni/types'
import { backendWord, iptablesBackend } from '../../../backend.ts'

/**
 * Back end that an earlier start chose; `undefined` if there was none.
 *
 * @throws `Error` for a file that does not say so; the message names file and value.
 */
export function rememberedBackend(path: string): IptablesBackend | undefined {
  let text: string
  try {
    text = readRegularFile(path, MAX_BYTES)
  } catch (cause) {
    if (cause instanceof Error && 'code' in cause && cause.code === 'ENOENT') return undefined
    throw new Error(`${path} cannot be read: ${messageOf(cause)}`, { cause })
  }
  const found = iptablesBackend(wordIn(text))
  if (found !== undefined) return found
  throw new Error(
    `${path} does not say which iptables was chosen: ${quote(text)}, expected ${remembered('iptables-nft').trim()}`,
  )
}

/**
 * Remembers a choice for the next start.
 *
 * @throws `WriteError`
 */
export function rememberBackend(path: string, backend: IptablesBackend): void {
  writeFileAtomic(path, remembered(backend), { mode: 0o600 })
}

// internal

const MAX_BYTES = 1024

const remembered = (backend: IptablesBackend): string => `${JSON.stringify({ iptables: backendWord(backend) })}\n`

function wordIn(text: string): unknown {
  try {
    const parsed: unknown = JSON.parse(text)
    return isObject(parsed) ? parsed.iptables : undefined
  } catch {
    return undefined
  }
}
