import {
  CniError,
  decodeResult,
  ErrorCode,
  isObject,
  messageOf,
  type Result,
  reencodeResult,
  resultVersion,
} from '@cni/types'
import { knownMemberText } from './member-text.ts'
import type { NetworkConfig } from './network-config.ts'

/** The result of the plugins before this one. */
export interface PrevResult {
  /** In the 1.1.0 model, frozen: a change to it would not be printed when it is returned. */
  readonly value: Result
  /** The received document in the configuration's version. */
  print(): string
}

/**
 * Reads `prevResult` in its own version, or in the configuration's when it names none. The two may have different
 * formats.
 *
 * @throws {@link CniError} 999 when it is no result.
 */
export function readPrevResult(config: NetworkConfig, version: string): PrevResult | undefined {
  const received = config.document.prevResult
  if (received === undefined) return undefined
  try {
    if (!isObject(received)) throw new TypeError(`expected an object, got ${JSON.stringify(received)}`)
    const from = resultVersion(received, version)
    return {
      value: deepFreeze(decodeResult(received, { version })),
      print: () =>
        (received.cniVersion === version ? verbatim(config) : undefined) ?? reencodeResult(received, from, version),
    }
  } catch (cause) {
    const reason = messageOf(cause)
    throw new CniError(ErrorCode.internal, `could not parse prevResult: ${reason}`, { cause })
  }
}

/**
 * The text as it was received, of a configuration that has one: printing it anew would round large numbers in members that we
 * do not know.
 */
export function verbatim({ text }: NetworkConfig): string | undefined {
  return knownMemberText(text, 'prevResult')
}

function deepFreeze<T>(value: T): T {
  if (typeof value !== 'object' || value === null || Object.isFrozen(value)) return value
  for (const member of Object.values(value)) deepFreeze(member)
  return Object.freeze(value)
}
