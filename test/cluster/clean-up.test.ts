import { afterEach, expect, it } from 'vitest'
import { atRest, CHART, chain, HELM, IMAGE, install, NAMESPACE, nodeFiles, SELECTOR, uninstall } from './agent.ts'
import { apply, kubectl, onNode, pods, ready, service, shell, until } from './cluster.ts'
import { NAMESPACE as DEFAULT, remove, rulesIn, workload } from './workloads.ts'

afterEach(async () => {
  await remove('suite=clean-up')
  await uninstall()
})

/** Kills the agent and prevents its restart. Its files stay on the node. */
async function killAgent(): Promise<void> {
  await kubectl(['delete', 'daemonset', 'istio-cni-node', '-n', NAMESPACE, '--cascade=orphan'])
  // Kubelet would stop the agent gracefully, or start it again.
  await service('stop', 'kubelet')
  await shell(`
    for p in /proc/[0-9]*; do
      if grep -q kubepods "$p/cgroup" 2>/dev/null && [ "$(cat "$p/comm" 2>/dev/null)" = install-cni ]; then kill -9 "\${p#/proc/}"; fi
    done`)
  await kubectl(['delete', 'pods', '-n', NAMESPACE, '-l', SELECTOR, '--force', '--grace-period=0'])
  await service('start', 'kubelet')
  await until('its pod is gone', async () => (await pods(NAMESPACE, SELECTOR)).length === 0)
}

const nodeName = (): Promise<string> => kubectl(['get', 'nodes', '-o', 'jsonpath={.items[0].metadata.name}'])

const cleaned = async (before: string): Promise<void> => {
  await until('nothing of it is left', async () => (await nodeFiles()) === before, 60_000).catch(async () => {
    expect(await nodeFiles()).toBe(before)
  })
}

it('a Job of the chart removes the files of a killed agent, also after the release is deleted', async () => {
  const before = await atRest(nodeFiles)
  await install()
  await killAgent()
  await uninstall()
  expect(await chain()).toContain('istio-cni')
  const values = [...IMAGE, `cleanUp.nodes={${await nodeName()}}`].flatMap((value) => ['--set', value])
  const template = ['template', 'istio-cni', CHART, '--namespace', NAMESPACE, ...values]
  const jobs = await onNode([HELM, ...template, '--show-only', 'templates/clean-up.yaml'])
  await kubectl(['apply', '-f', '-'], { input: jobs })
  await cleaned(before)
  await kubectl(['delete', 'jobs', '-n', NAMESPACE, '--all'])
})

it('with nodes in the values helm uninstall runs the Job', async () => {
  const before = await atRest(nodeFiles)
  await install(`cleanUp.nodes={${await nodeName()}}`)
  await killAgent()
  await uninstall()
  await cleaned(before)
})

it('a change of the mounted settings is applied without a restart', async () => {
  await install('configFromVolume=true', 'repair.repairPods=false')
  const [agent] = await pods(NAMESPACE, SELECTOR)
  const excluded = async () => {
    const list = JSON.parse(await shell('cat /etc/cni/net.d/*.conflist'))
    return list.plugins.at(-1).exclude_namespaces
  }
  expect(await excluded()).toEqual(['kube-system'])
  await install('configFromVolume=true', 'repair.repairPods=false', 'excludeNamespaces={kube-system,default}')
  // Kubelet updates mounted files once a minute.
  await until('the list has the change', async () => (await excluded()).includes('default'))
  expect((await pods(NAMESPACE, SELECTOR))[0]?.metadata.uid).toBe(agent?.metadata.uid)
  await apply(workload({ name: 'excluded', sidecar: 'native', validated: false, labels: { suite: 'clean-up' } }))
  expect(await rulesIn(await ready(DEFAULT, 'excluded'))).not.toContain('ISTIO')
})
