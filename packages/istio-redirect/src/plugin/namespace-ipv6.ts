import { type NetnsTarget, readFile } from '@cni/netns'

/** The kernel's list of IPv6 addresses of a namespace; empty where it has no IPv6. */
export const inet6Of = async (netns: NetnsTarget): Promise<string> =>
  (await readFile(netns, '/proc/thread-self/net/if_inet6')) ?? ''

/** Whether the interface of the pod, or `lo`, on which the proxy needs an address, can have no IPv6 address. */
export async function isIpv6SwitchedOff(netns: NetnsTarget, ifName: string | undefined): Promise<boolean> {
  // Without the file the kernel has no IPv6 at all. That of `all` says nothing: plugins switch single interfaces on.
  if ((await disabledOn(netns, 'lo')) !== '0') return true
  return ifName !== undefined && (await disabledOn(netns, ifName)) === '1'
}

const disabledOn = async (netns: NetnsTarget, link: string): Promise<string | undefined> =>
  (await readFile(netns, `/proc/sys/net/ipv6/conf/${link}/disable_ipv6`))?.trim()
