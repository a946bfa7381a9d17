import { ipam } from '@cni/invoke'
import type { CheckContext } from '@cni/skel'
import { CniError, type Result } from '@cni/types'
import { type Conf, type Kept, settingsOf } from './conf.ts'
import { missingIn, otherSettings } from './inspect.ts'
import type { Place } from './place.ts'
import { hostLinkOf, planOf } from './plan.ts'

/** Error code of a failed CHECK, which other CNI plugins also use. */
const NOT_AS_ADDED = 100

/** Compares both ends of the pod's veth pair with the chain's previous result. Throws if they differ. */
export async function verify(c: CheckContext<Conf, false, Kept>, place: Place): Promise<void> {
  const { node, delegates, openRtnl, sysctl } = place
  await ipam(c, delegates).check()
  const hostLink = hostLinkOf(c)
  const { pod, node: ofNode } = planOf(ownPart(c.prevResult, c.ifName), c.ifName, hostLink)
  using inPod = await openRtnl(c.netns)
  using onNode = await openRtnl(node)
  const missing = [
    ...(await missingIn('pod', inPod, c.ifName, pod)),
    ...(await missingIn('node', onNode, hostLink, ofNode)),
    ...(await otherSettings(sysctl(c.netns), settingsOf(c))),
  ]
  if (missing.length === 0) return
  throw new CniError(NOT_AS_ADDED, `not as ADD left it: ${missing[0]}`, { details: missing.join('\n') })
}

/** Addresses and routes of this plugin's own interface, taken from the chain's previous result. */
function ownPart({ interfaces = [], ips = [], routes = [] }: Result = {}, ifName: string): Result {
  const index = interfaces.findIndex(({ name, sandbox }) => name === ifName && sandbox)
  return { ips: ips.filter((ip) => ip.interface === index), routes }
}
