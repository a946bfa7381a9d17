import { networkInterfaces } from 'node:os'
import { netns, openRtnl } from '@cni/netns'

export async function describePod(path: string) {
  // The handle of the pod's namespace stays valid even if its path is removed later.
  using pod = netns.open(path)
  // Runs the function in the pod's namespace, then returns this thread to its old namespace.
  const names = netns.run(pod, () => Object.keys(networkInterfaces()))
  // Starts the program `ip` in the pod's namespace. This process stays outside.
  const { stdout } = await netns.exec(pod, ['ip', '-brief', 'address'])
  // Opens a netlink socket, which stays in the pod's namespace.
  using rtnl = await openRtnl(pod)
  const links = await rtnl.getLinks()
  return { names, table: stdout, links: links.map(({ name }) => name) }
}
