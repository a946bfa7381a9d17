import { addWithRetry, type Cni, loadConflist } from '@cni/libcni'

/**
 * Attaches a network namespace to a CNI network and checks the attachment. Always detaches the namespace at the end.
 */
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
