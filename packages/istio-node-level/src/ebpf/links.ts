import type { Link, RtnlPort } from '@cni/netns'
import { NodeLevelError } from '../node-level-error.ts'

/** Both ends of a pod's veth pair. */
export interface Ends {
  /** End of the pod's veth in the node's namespace. */
  readonly outer: Link
  readonly inner: Link
}

/**
 * Finds both ends of a pod's veth by an IPv4 address of the pod.
 *
 * @param whose - owner of the address for messages, such as `pod shop/web`
 * @throws {@link NodeLevelError} `NO_VETH`.
 */
export async function endsOf(node: RtnlPort, inside: RtnlPort, address: string, whose: string): Promise<Ends> {
  const fail = (text: string): never => {
    throw new NodeLevelError('NO_VETH', `${whose}: ${text}`)
  }
  const [links, addresses] = await Promise.all([inside.getLinks(), inside.getAddresses({ family: 'ipv4' })])
  const index = addresses.find((each) => each.address === address)?.linkIndex
  const inner = links.find((each) => each.index === index)
  if (inner === undefined)
    return fail(`no link of its namespace has the address ${address}: check that it is the namespace of this pod`)
  if (inner.kind !== 'veth' || inner.parent === undefined) {
    const kind = inner.kind ?? 'of no kind'
    return fail(
      `its address ${address} is on ${inner.name}, which is ${kind}, not a veth; or set AMBIENT_REDIRECT_MODE=inpod`,
    )
  }
  const outer = await node.getLink(inner.parent)
  if (outer?.kind === 'veth' && outer.parent === inner.index) return { outer, inner }
  return fail(`the other end of its veth ${inner.name} is not on the node, or has gone`)
}
