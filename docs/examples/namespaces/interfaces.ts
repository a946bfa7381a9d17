import { networkInterfaces } from 'node:os'
import { netns, openRtnl } from '@cni/netns'

export async function describePod(path: string) {
  // The handle stays valid even if the path is removed later.
  using pod = netns.open(path)
  // Runs the function synchronously in the namespace, then returns this thread to the old namespace.
  const names = netns.run(pod, () => Object.keys(networkInterfaces()))
  // Starts the program in the namespace. This process stays outside.
  const { stdout } = await netns.exec(pod, ['ip', '-brief', 'address'])
  // Opens a netlink socket, which stays in the namespace.
  using rtnl = await openRtnl(pod)
  const links = await rtnl.getLinks()
  return { names, table: stdout, links: links.map(({ name }) => name) }
}
