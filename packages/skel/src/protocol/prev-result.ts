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

/** Result of the previous plugins (`prevResult`): the decoded result, and its text for printing. */
export interface PrevResult {
  /** Result of the previous plugins. Frozen, because a change in place would not be printed. */
  readonly value: Result
  /** Prints the received `prevResult` in the CNI version of the configuration. */
  print(): string
}

/** Decodes `prevResult` in its own CNI version. Without one, uses the configuration's version. */
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

/** Text of `prevResult` as received. Encoding the parsed result again would round large numbers in unknown members. */
export function verbatim({ text }: NetworkConfig): string | undefined {
  return knownMemberText(text, 'prevResult')
}

function deepFreeze<T>(value: T): T {
  if (typeof value !== 'object' || value === null || Object.isFrozen(value)) return value
  for (const member of Object.values(value)) deepFreeze(member)
  return Object.freeze(value)
}
