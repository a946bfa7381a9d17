import { normalizeNetConf, parseJson } from '@cni/types'

/** Network configuration that the plugin received on stdin: the text and its parsed document. */
export interface NetworkConfig {
  readonly text: string
  readonly document: ReturnType<typeof normalizeNetConf>
}

/** Parses stdin as a network configuration. Another function checks the CNI version later. */
export function decodeNetworkConfig(raw: Uint8Array): NetworkConfig {
  // Keeps a byte order mark, because the JSON parser must reject it.
  const text = new TextDecoder('utf-8', { ignoreBOM: true }).decode(raw)
  const document = normalizeNetConf(parseJson(text, 'error unmarshall network config'))
  return { text, document }
}
