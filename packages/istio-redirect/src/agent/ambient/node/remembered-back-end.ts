import { readRegularFile, writeFileAtomic } from '@cni/host'
import { isObject, messageOf, quote } from '@cni/types'

/** The variants of iptables. */
export type IptablesVariant = 'legacy' | 'nft'

/**
 * The variant that an earlier start chose; `undefined` when there was none.
 *
 * @throws `Error` for a file that does not say so; the message names file and value.
 */
export function rememberedBackEnd(path: string): IptablesVariant | undefined {
  let text: string
  try {
    text = readRegularFile(path, MAX_BYTES)
  } catch (cause) {
    if (cause instanceof Error && 'code' in cause && cause.code === 'ENOENT') return undefined
    throw new Error(`${path} cannot be read: ${messageOf(cause)}`, { cause })
  }
  const found = variantIn(text)
  if (found === 'legacy' || found === 'nft') return found
  throw new Error(
    `${path} does not say which iptables was chosen: ${quote(text)}, expected ${remembered('nft').trim()}`,
  )
}

/**
 * Remembers a choice for the next start.
 *
 * @throws `WriteError`
 */
export function rememberBackEnd(path: string, variant: IptablesVariant): void {
  writeFileAtomic(path, remembered(variant), { mode: 0o600 })
}

// internal

const MAX_BYTES = 1024

const remembered = (variant: IptablesVariant): string => `${JSON.stringify({ iptables: variant })}\n`

function variantIn(text: string): unknown {
  try {
    const parsed: unknown = JSON.parse(text)
    return isObject(parsed) ? parsed.iptables : undefined
  } catch {
    return undefined
  }
}
