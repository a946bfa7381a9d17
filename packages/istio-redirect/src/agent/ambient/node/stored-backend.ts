import { readRegularFile, writeFileAtomic } from '@cni/host'
import type { IptablesBackend } from '@cni/iptables'
import { isObject, messageOf, quote } from '@cni/types'
import { backendWord, iptablesBackend } from '../../../backend.ts'

/**
 * Reads the file with the iptables variant that an earlier start of the agent chose.
 *
 * @throws `Error` if the file is invalid. The message names the file and its content.
 */
export function readStoredBackend(path: string): IptablesBackend | undefined {
  let text: string
  try {
    text = readRegularFile(path, MAX_BYTES)
  } catch (cause) {
    if (cause instanceof Error && 'code' in cause && cause.code === 'ENOENT') return undefined
    throw new Error(`cannot read ${path}: ${messageOf(cause)}`, { cause })
  }
  const found = iptablesBackend(wordIn(text))
  if (found !== undefined) return found
  throw new Error(
    `${path} has an invalid choice of iptables: ${quote(text)}, expected ${textOf('iptables-nft').trim()}`,
  )
}

/**
 * Stores the chosen iptables variant in a file, for the next start of the agent.
 *
 * @throws `WriteError`
 */
export function storeBackend(path: string, backend: IptablesBackend): void {
  writeFileAtomic(path, textOf(backend), { mode: 0o600 })
}

// internal

const MAX_BYTES = 1024

const textOf = (backend: IptablesBackend): string => `${JSON.stringify({ iptables: backendWord(backend) })}\n`

function wordIn(text: string): unknown {
  try {
    const parsed: unknown = JSON.parse(text)
    return isObject(parsed) ? parsed.iptables : undefined
  } catch {
    return undefined
  }
}
