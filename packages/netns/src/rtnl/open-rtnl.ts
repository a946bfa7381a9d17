import { run } from '../enter/runner.ts'
import type { NetnsTarget } from '../handle/netns.ts'
import { loadSys } from '../sys/load-sys.ts'
import { openChannel } from './channel.ts'
import { type Rtnl, rtnlOver } from './rtnl.ts'

/**
 * Opens an rtnetlink socket inside a namespace. The socket stays there: use it from outside, then close it.
 *
 * @example
 * using rtnl = await openRtnl(pod)
 * await rtnl.setLinkUp('lo')
 * const links = await rtnl.getLinks()
 */
export async function openRtnl(target: NetnsTarget): Promise<Rtnl> {
  return rtnlOver(run(target, () => openChannel(loadSys())))
}
