import { type Netns, openRtnl } from '@cni/netns'
import { example, tearDown } from '../src/rules.ts'

/** A valid configuration of the plugin, for tests. */
export const conf = example
/** An invalid configuration of the plugin, and the error message that tests expect. */
export const wrong = {
  conf: { blocked: ['10.9.0.0'] },
  msg: 'blocked[0]: expected an IPv4 network such as 10.0.0.0/8 or an IPv6 network such as fd00::/8, got "10.9.0.0"',
}

/** Removes the plugin's routes from a pod, as another program could. CHECK must then fail. */
export const tamper = (pod: Netns) => tearDown(pod, conf)

/** Lists the plugin's `unreachable` routes in a pod. */
export async function seen(pod: Netns) {
  using rtnl = await openRtnl(pod)
  return (await rtnl.getRoutes()).filter(({ type }) => type === 'unreachable')
}
