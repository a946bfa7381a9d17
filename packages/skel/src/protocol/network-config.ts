import { normalizeNetConf, parseJson } from '@cni/types'

/** The configuration on stdin, as far as the protocol itself looks at it. */
export interface NetworkConfig {
  readonly text: string
  readonly document: ReturnType<typeof normalizeNetConf>
}

/**
 * Decodes stdin and checks the network's name. The version comes later: which error a caller sees first is part of the
 * protocol.
 *
 * @throws {@link CniError} 6 for what is not a JSON object, 7 for a missing or invalid name.
 */
export function decodeNetworkConfig(raw: Uint8Array): NetworkConfig {
  // Keeps a byte order mark, so that it is refused.
  const text = new TextDecoder('utf-8', { ignoreBOM: true }).decode(raw)
  const document = normalizeNetConf(parseJson(text, 'error unmarshall network config'))
  return { text, document }
}
