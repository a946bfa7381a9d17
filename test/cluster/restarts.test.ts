import { afterAll, afterEach, beforeAll, expect, it } from 'vitest'
import { agentReady, install, uninstall } from './agent.ts'
import { apply, kubectl, pods, ready, service, shell, until } from './cluster.ts'
import { NAMESPACE, remove, rulesIn, workload } from './workloads.ts'

const labels = { suite: 'restarts' }

beforeAll(() => install())
afterEach(() => remove('suite=restarts'))
afterAll(() => uninstall())

async function meshPodStarts(name: string): Promise<void> {
  await apply(workload({ name, sidecar: 'native', labels }))
  expect(await rulesIn(await ready(NAMESPACE, name))).toContain('ISTIO_REDIRECT')
}

it.each([
  ['kubelet', 'restart'],
  ['kubelet', 'kill'],
  ['containerd', 'restart'],
  ['containerd', 'kill'],
] as const)('after %s %s pods go on, and new ones have rules', async (name, action) => {
  const before = `before-${name}-${action}`
  await meshPodStarts(before)
  await service(action, name)
  if (action === 'kill') await service('start', name)
  await until('the node is ready', nodeReady)
  await meshPodStarts(`after-${name}-${action}`)
  const [old] = (await pods(NAMESPACE, 'suite=restarts')).filter(({ metadata }) => metadata.name === before)
  expect(old?.status.containerStatuses?.map(({ restartCount }) => restartCount)).toEqual([0])
})

it('a node recovers from a power cut by itself: the agent, its pods, and their rules', async () => {
  await meshPodStarts('before-power-cut')
  const sandboxes = await shell('ctr -n k8s.io containers ls -q | sort')
  await powerCut()
  await until('the node is ready', nodeReady)
  await agentReady()
  await until('the pod is in a new sandbox, with rules', async () => {
    const now = new Set((await shell('ctr -n k8s.io tasks ls -q')).split('\n'))
    if (sandboxes.split('\n').some((id) => id !== '' && now.has(id))) return false
    return (await rulesIn(await ready(NAMESPACE, 'before-power-cut'))).includes('ISTIO_REDIRECT')
  })
  await meshPodStarts('after-power-cut')
})

const nodeReady = async (): Promise<boolean> => {
  const path = 'jsonpath={.items[0].status.conditions[?(@.type=="Ready")].status}'
  return (await kubectl(['get', 'nodes', '-o', path])) === 'True'
}

/** Kills everything on the node except the control plane, and clears namespaces, devices and /run. */
async function powerCut(): Promise<void> {
  await service('kill', 'kubelet')
  await service('kill', 'containerd')
  await shell(`
    for p in /proc/[0-9]*; do
      pid=\${p#/proc/}
      if grep -q kubepods "$p/cgroup" 2>/dev/null || [ "$(cat "$p/comm" 2>/dev/null)" = containerd-shim ]; then kill -9 "$pid" 2>/dev/null || true; fi
    done
    awk '$5 ~ "^/run/(containerd|netns)/|^/var/lib/kubelet/pods/" { print $5 }' /proc/self/mountinfo | sort -r | while read -r m; do umount -l "$m"; done
    find /run -mindepth 1 -maxdepth 1 ! -name '*.svc' ! -name sysctl ! -name ready -exec rm -rf {} +
    mkdir -p /run/netns /run/lock
    ip link del cni0`)
  await service('start', 'containerd')
  await until('containerd answers', async () => (await shell('ctr version >/dev/null && echo yes')) === 'yes\n')
  await service('start', 'kubelet')
}
