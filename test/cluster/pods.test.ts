import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { chain, install, memory, SELECTOR, NAMESPACE as SYSTEM, uninstall } from './agent.ts'
import { apply, kubectl, onNode, type Pod, pods, ready, until } from './cluster.ts'
import { fromNode, get, NAMESPACE, proxyLog, remove, rulesIn, workload } from './workloads.ts'

const labels = { suite: 'pods' }
let outside: Pod

beforeAll(async () => {
  await install('resources.limits.memory=64Mi')
  await apply(workload({ name: 'outside', labels }))
  outside = await ready(NAMESPACE, 'outside')
})
afterAll(async () => {
  await remove('suite=pods')
  await uninstall()
})

it('the agent is at the end of the chain', async () => {
  expect((await chain()).at(-1)).toBe('istio-cni')
})

it('the agent works within 64 MiB, and the only file it is charged for is its copy of the plugin', async () => {
  const [agent] = await pods(SYSTEM, SELECTOR)
  expect(agent?.status.containerStatuses?.map(({ restartCount }) => restartCount)).toEqual([0])
  // The agent needs more memory at its start.
  await until('it is at rest', async () => {
    const { anonymous, cached, usedFiles, workingSet } = await memory()
    expect(anonymous).toBeLessThan(18)
    // The copy of the plugin (6 MB) stays in the page cache. It counts as working set once pods have started it.
    expect(cached).toBeLessThan(12)
    // Kernel memory for tables and stacks varies between 1.5 and 4 MB.
    expect(workingSet - usedFiles).toBeLessThan(20)
    process.stdout.write(
      `at rest: anonymous ${anonymous} MB, working set ${workingSet} MB, used files ${usedFiles} MB\n`,
    )
    return true
  })
})

it('a pod outside the mesh has no rules', async () => {
  expect(await rulesIn(outside)).not.toContain('ISTIO')
})

describe.each(['native', 'ordinary'] as const)('a mesh pod with a(n) %s sidecar', (sidecar) => {
  const name = `mesh-${sidecar}`
  const hostPort = sidecar === 'native' ? 18_080 : 18_081
  let mesh: Pod
  beforeAll(async () => {
    await apply(workload({ name, sidecar, labels, hostPort }))
    mesh = await ready(NAMESPACE, name)
  })

  it('starts at its first attempt, validated, with rules of both families; its probes are answered', async () => {
    const all = [...(mesh.status.initContainerStatuses ?? []), ...(mesh.status.containerStatuses ?? [])]
    expect(all.map(({ restartCount }) => restartCount)).toEqual(all.map(() => 0))
    const validation = all.find((one) => one.name === 'istio-validation')
    expect(validation?.state?.terminated?.exitCode).toBe(0)
    expect(await rulesIn(mesh)).toMatch(/ISTIO_REDIRECT[\s\S]*--to-ports 15001/)
  })

  it('its connections pass through its proxy in both directions, with their original target', async () => {
    expect(await get(name, `http://${outside.status.podIP}:8080/out-${name}`)).toContain('app outside')
    expect(await get('outside', `http://${mesh.status.podIP}:8080/in-${name}`)).toContain(
      `app ${name} port 8080 remote 127.0.0.6`,
    )
    const log = await proxyLog(name)
    expect(log).toContain(`orig ${outside.status.podIP}:8080`)
    expect(log).toMatch(new RegExp(`inbound from \\S+ orig ${mesh.status.podIP}:8080`))
  })

  it('its host port, exec and port-forward work', async () => {
    const ip = await kubectl(['get', 'node', '-o', 'jsonpath={.items[0].status.addresses[0].address}'])
    expect(await until('the host port answers', () => fromNode(`http://${ip}:${hostPort}/`))).toContain(`app ${name}`)
    expect(await forwarded(name)).toContain(`app ${name}`)
  })
})

it('the agent decides for the plugin: ADDs of all pods with the annotation are served', async () => {
  // The plugin skips a pod without the annotation before it asks the agent.
  await apply(workload({ name: 'proxyless', annotated: true, labels }))
  await ready(NAMESPACE, 'proxyless')
  const [agent] = await pods(SYSTEM, SELECTOR)
  const metrics = await fromNode(`http://${agent?.status.podIP}:15014/metrics`)
  const served = (answer: string) =>
    Number(new RegExp(`^istio_cni_served_calls_total\\{answer="${answer}"\\} (\\d+)$`, 'm').exec(metrics)?.[1])
  expect(served('redirect')).toBeGreaterThanOrEqual(2)
  expect(served('skip')).toBeGreaterThanOrEqual(1)
})

/** The pod's answer through `kubectl port-forward`. The forwarding ends with its shell. */
function forwarded(name: string): Promise<string> {
  const forward = `kubectl port-forward -n ${NAMESPACE} pod/${name} 28080:8080 --address 127.0.0.1 >/dev/null & trap 'kill $!' EXIT`
  const ask = 'for i in $(seq 100); do curl -sf -m 5 http://127.0.0.1:28080/ && exit; sleep 0.1; done; exit 1'
  return onNode(['bash', '-c', `${forward}; ${ask}`])
}
