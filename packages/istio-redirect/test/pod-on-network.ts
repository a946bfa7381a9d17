import { type Netns, netns } from '@cni/netns'
import { tempNetns } from '@cni/netns/testing'

/** A pod's namespace for a test, with an address of each family on its eth0. */
export async function podOnNetwork(): Promise<Netns & AsyncDisposable> {
  const pod = await tempNetns()
  const ip = (...words: string[]) => netns.exec(pod, ['ip', ...words])
  await ip('link', 'set', 'lo', 'up')
  await ip('link', 'add', 'eth0', 'type', 'veth', 'peer', 'name', 'peer')
  await ip('addr', 'add', '10.1.2.3/24', 'dev', 'eth0')
  await ip('addr', 'add', 'fd00::3/64', 'dev', 'eth0', 'nodad')
  await ip('link', 'set', 'eth0', 'up')
  return pod
}
