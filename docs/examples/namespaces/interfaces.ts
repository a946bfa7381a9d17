import { networkInterfaces } from 'node:os'
import { netns, openRtnl } from '@cni/netns'

export async function describePod(path: string) {
  using pod = netns.open(path) // the handle stays valid if the path is removed
  const names = netns.run(pod, () => Object.keys(networkInterfaces())) // runs synchronously inside the namespace, then returns to the old one
  const { stdout } = await netns.exec(pod, ['ip', '-brief', 'address']) // starts the process inside, waits outside
  using rtnl = await openRtnl(pod) // the socket stays in the namespace
  const links = await rtnl.getLinks()
  return { names, table: stdout, links: links.map(({ name }) => name) }
}
