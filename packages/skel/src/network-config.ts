import { assertNetConfName, CniError, ErrorCode, normalizeNetConf, type UncheckedNetConf } from '@cni/types'

/** The configuration on stdin, as far as the protocol itself looks at it. */
export interface NetworkConfig {
  readonly text: string
  readonly document: UncheckedNetConf
}

/**
 * Decodes stdin and checks the network's name. The version comes later: which error a caller sees first is part of the
 * protocol.
 *
 * @throws {@link CniError} 6 for what is not a JSON object, 7 for a missing or invalid name.
 */
export function decodeNetworkConfig(raw: Uint8Array): NetworkConfig {
  // Keeps a byte order mark, so that it is refused.
  const text = Buffer.from(raw.buffer, raw.byteOffset, raw.byteLength).toString('utf8')
  const document = normalizeNetConf(parse(text))
  assertNetConfName(document)
  return { text, document }
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch (cause) {
    const reason = text.trim() === '' ? 'unexpected end of JSON input' : syntaxError(cause)
    throw new CniError(ErrorCode.decodingFailure, `error unmarshall network config: ${reason}`)
  }
}

/** What the engine says, without the piece of the input V8 quotes: it may hold a secret. */
function syntaxError(cause: unknown): string {
  const message = cause instanceof Error ? cause.message : String(cause)
  return message.replace(/, (?:\.\.\.)?".*$/s, '')
}
