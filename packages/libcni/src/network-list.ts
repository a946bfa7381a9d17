import { type Conflist, parseConflist } from '@cni/types'

/** A parsed network configuration list, and its original text. The cache stores the text unchanged. */
export interface NetworkList {
  readonly conflist: Conflist
  readonly text: string
  /** File from which the network configuration list was loaded. */
  readonly file?: string
}

/**
 * Parses the text of a network configuration list. Unlike `loadConflistFile`, reads no further plugins from a folder.
 *
 * @example
 * ```ts
 * const { conflist } = parseNetworkList('{"cniVersion":"1.0.0","name":"lo","plugins":[{"type":"loopback"}]}')
 * ```
 */
export function parseNetworkList(text: string): NetworkList {
  return { conflist: parseConflist(text), text }
}

/** Returns a loaded network configuration list unchanged. Validates a plain conflist object and adds its text. */
export function toNetworkList(list: NetworkList | Conflist): NetworkList {
  return isNetworkList(list) ? list : parseNetworkList(JSON.stringify(list))
}

function isNetworkList(list: NetworkList | Conflist): list is NetworkList {
  return !('plugins' in list)
}
