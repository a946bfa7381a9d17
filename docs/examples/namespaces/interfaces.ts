import { networkInterfaces } from 'node:os'
import { netns, openRtnl } from '@cni/netns'

export async function describePod(path: string) {
  using pod = netns.open(path) // a handle: it lives on when the path goes away
  const names = netns.run(pod, () => Object.keys(networkInterfaces())) // synchronous, and back again
  const { stdout } = await netns.exec(pod, ['ip', '-brief', 'address']) // starts inside, waits outside
  using rtnl = await openRtnl(pod) // its socket stays inside
  const links = await rtnl.getLinks()
  return { names, table: stdout, links: links.map(({ name }) => name) }
}
