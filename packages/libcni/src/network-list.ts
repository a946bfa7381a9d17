import { type Conflist, parseConflist } from '@cni/types'

/** A network configuration list and the text it came from, which the cache keeps verbatim. */
export interface NetworkList {
  readonly conflist: Conflist
  readonly text: string
  /** The file it was loaded from. */
  readonly file?: string
}

/**
 * A list from its text, without plugins from a folder.
 *
 * @example
 * ```ts
 * const { conflist } = parseNetworkList('{"cniVersion":"1.0.0","name":"lo","plugins":[{"type":"loopback"}]}')
 * ```
 */
export function parseNetworkList(text: string): NetworkList {
  return { conflist: parseConflist(text), text }
}

/** A network's list as it was loaded; one that is given plain is checked as a loaded one is. */
export function toNetworkList(list: NetworkList | Conflist): NetworkList {
  return isNetworkList(list) ? list : parseNetworkList(JSON.stringify(list))
}

function isNetworkList(list: NetworkList | Conflist): list is NetworkList {
  return !('plugins' in list)
}
