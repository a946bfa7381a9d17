import { addWithRetry, type Cni, loadConflist } from '@cni/libcni'

/** Attaches a namespace to a network, checks the attachment, and always detaches it. */
export async function tryNetwork(runtime: Cni, confDir: string, network: string, netns: string) {
  const list = loadConflist(confDir, network)
  const pod = { containerID: 'c1', netns, ifName: 'eth0' }
  try {
    const { result } = await addWithRetry(runtime, list, pod, { attempts: 5, delay: 200 })
    await runtime.check(list, pod)
    return result
  } finally {
    await runtime.del(list, pod)
  }
}
