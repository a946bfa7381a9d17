import { afterEach, expect, it } from 'vitest'
import { parseAllDocuments } from 'yaml'
import {
  agentName,
  agentReady,
  atRest,
  CHART,
  chain,
  HELM,
  IMAGE,
  install,
  NAMESPACE,
  networks,
  release,
  SELECTOR,
  status,
  uninstall,
} from './agent.ts'
import { apply, type ContainerStatus, events, kubectl, onNode, pods, ready, service, shell, until } from './cluster.ts'
import { NAMESPACE as DEFAULT, remove, rulesIn, workload } from './workloads.ts'

const BIN = '/opt/cni/bin'

afterEach(async () => {
  await remove('suite=bad-input')
  await uninstall()
  await shell(`while mountpoint -q ${BIN}; do umount ${BIN}; done`)
})

it.each([
  ['read-only', `mount --bind ${BIN} ${BIN}; mount -o remount,ro,bind ${BIN}`, /fail.*binary.*read-only/, 'read-only'],
  [
    'full',
    // The file system is smaller than the plugin (6 MB).
    `cp -a ${BIN} /tmp/bin
    mount -t tmpfs -o size=$(($(du -sk /tmp/bin | cut -f1) + 2048))k tmpfs ${BIN}
    cp -a /tmp/bin/. ${BIN}; rm -r /tmp/bin`,
    /fail.*binary.*full/,
    'full',
  ],
])(
  'a folder for plugins that is %s: status and an event say so, and the node is left as it was',
  async (_, make, line, word) => {
    await shell(make)
    const before = await atRest(networks)
    await release()
    const name = await until('status says so', async () => line.test(await status()) && (await agentName()))
    await until('an event says so', async () => (await events(NAMESPACE, name)).some((text) => text.includes(word)))
    expect(await networks()).toBe(before)
    await apply(workload({ name: 'starts', labels: { suite: 'bad-input' } }))
    await ready(DEFAULT, 'starts')
    if (word === 'read-only') return
    await shell(`mount -o remount,size=512m ${BIN}`)
    await agentReady()
    expect(await chain()).toContain('istio-cni')
  },
)

it('an invalid value is named by the container as it ends, and the node is left as it was', async () => {
  const before = await atRest(networks)
  await release('env.FORCE_IPTABLES_BINARY=nftables')
  const said = await until('it has ended', async () => {
    const [agent] = await pods(NAMESPACE, SELECTOR)
    return agent?.status.containerStatuses?.map(lastWords).find(Boolean)
  })
  expect(said).toMatch(/FORCE_IPTABLES_BINARY.*nftables/)
  expect(await networks()).toBe(before)
})

it('a second release is refused, and the message names the namespace of the first', async () => {
  await install()
  const said = await shell(`${HELM} install another ${CHART} --namespace kube-system --set image=x/y:1 2>&1 || true`)
  expect(said).toContain('DaemonSet istio-cni-node already runs in namespace istio-system')
})

it('with two agents on a node the newer one works, and the older one reports it and takes over later', async () => {
  await install()
  const first = await agentName()
  await kubectl(['create', 'namespace', 'another'], { reject: false })
  const objects = await rendered('another')
  try {
    await apply(...objects)
    await until(
      'the second keeps the node',
      async () => (await pods('another', SELECTOR))[0]?.status.phase === 'Running',
    )
    await until('status says so', async () => /fail.*claim.*keeps this node/.test(await status()))
    await until('an event says so', async () =>
      (await events(NAMESPACE, first)).some((text) => text.includes('keeps this node')),
    )
    expect(await chain()).toContain('istio-cni')
  } finally {
    await kubectl(['delete', 'namespace', 'another', '--wait=false'])
    await until(
      'it is gone',
      async () => (await kubectl(['get', 'namespace', 'another', '--ignore-not-found', '-o', 'name'])) === '',
    )
  }
  // Restores the roles of the first release, which the second release owned.
  await install()
  await until('the first keeps the node', async () => !/fail/.test(await status()))
  expect(await chain()).toContain('istio-cni')
})

it('with another DaemonSet name status and an event describe the consequence', async () => {
  await kubectl(['create', 'namespace', NAMESPACE], { reject: false })
  const objects = await rendered(NAMESPACE, (object) => {
    if (object.kind === 'DaemonSet') object.metadata.name = 'mesh-node'
  })
  try {
    await apply(...objects)
    const name = await until(
      'it says so',
      async () => /warn.*istio-cni-node-/.test(await status()) && (await agentName()),
    )
    await until('an event says so', async () =>
      (await events(NAMESPACE, name)).some(
        (text) => text.startsWith('Misconfigured:') && text.includes('istio-cni-node-'),
      ),
    )
  } finally {
    await kubectl(['delete', '--ignore-not-found', '-f', '-'], { input: listOf(objects) })
    await until('it is gone', async () => (await pods(NAMESPACE, SELECTOR)).length === 0)
    // An agent with the usual name cleans the node when it is uninstalled.
    await release()
  }
})

it('an agent that starts without the API server keeps the node in order, and reports the outage in status and an event', async () => {
  await install()
  const before = await atRest(networks)
  await service('kill', 'apiserver')
  const killed = performance.now()
  const former = await agentPid()
  await shell(`kill -9 ${former}`)
  await until('it runs again', async () => ![former, ''].includes(await agentPid()))
  await until('status says so', async () => /warn.*serving.*each pod needs an API request/.test(await statusOnNode()))
  expect(await networks()).toBe(before)
  // A short outage, as during a replacement, causes no event.
  await until('it was away for long enough', async () => performance.now() - killed > 20_000)
  await service('start', 'apiserver')
  await until('the API server answers', async () => (await kubectl(['get', '--raw', '/readyz'])) === 'ok')
  const { metadata } = await agentReady()
  await until('an event says so', async () =>
    (await events(NAMESPACE, metadata.name)).some((text) => /^ServerWasAway: .* did not answer from /.test(text)),
  )
  await apply(workload({ name: 'later', sidecar: 'native', labels: { suite: 'bad-input' } }))
  expect(await rulesIn(await ready(DEFAULT, 'later'))).toContain('ISTIO_REDIRECT')
})

it('without the right to watch pods status and an event name the right, and pods are still redirected', async () => {
  await install()
  const before = await agentName()
  const { items }: { readonly items: readonly ClusterRole[] } = JSON.parse(
    await kubectl(['get', 'clusterroles', '-o', 'json']),
  )
  const lesser = items.filter(({ metadata }) => metadata.name.startsWith('istio-cni')).map(onlyGetsPods)
  expect(lesser.length).toBeGreaterThan(0)
  await kubectl(['replace', '-f', '-'], { input: listOf(lesser) })
  await kubectl(['delete', 'pod', before, '--namespace', NAMESPACE])
  const { metadata } = await agentReady()
  await until('status says so', async () =>
    /warn.*serving.*each pod needs an API request.*cannot list resource "pods"/.test(await status()),
  )
  await until('an event says so', async () =>
    (await events(NAMESPACE, metadata.name)).some((text) => /^Refused: .*cannot list resource "pods"/.test(text)),
  )
  await apply(workload({ name: 'asked-for', sidecar: 'native', labels: { suite: 'bad-input' } }))
  expect(await rulesIn(await ready(DEFAULT, 'asked-for'))).toContain('ISTIO_REDIRECT')
})

interface ClusterRole {
  readonly metadata: { readonly name: string }
  readonly rules: readonly { readonly resources: readonly string[]; readonly verbs: readonly string[] }[]
}

const onlyGetsPods = (role: ClusterRole): ClusterRole => ({
  ...role,
  rules: role.rules.map((rule) => (rule.resources.includes('pods') ? { ...rule, verbs: ['get'] } : rule)),
})

/** The process id of the agent on the node. */
const agentPid = async (): Promise<string> => (await shell('pgrep -x install-cni || true')).trim()

/** The output of `install-cni status` on the node. It works without the API server. */
async function statusOnNode(): Promise<string> {
  const pid = await agentPid()
  const enter = `nsenter --target ${pid} --mount --net --pid /usr/local/bin/install-cni status`
  return shell(`xargs -0 -a /proc/${pid}/environ bash -c 'env -i "$@" ${enter} || true' -`)
}

const lastWords = ({ state, lastState }: ContainerStatus): string =>
  state?.terminated?.message ?? lastState?.terminated?.message ?? ''

interface KubeObject {
  readonly kind: string
  readonly metadata: { name: string; namespace?: string }
}

const listOf = (items: readonly object[]): string => JSON.stringify({ apiVersion: 'v1', kind: 'List', items })

/** The chart's objects, for installation without helm. */
async function rendered(namespace: string, change: (object: KubeObject) => void = () => {}): Promise<KubeObject[]> {
  const settings = IMAGE.flatMap((value) => ['--set', value])
  const text = await onNode([HELM, 'template', 'by-hand', CHART, '--namespace', namespace, ...settings])
  const objects: KubeObject[] = parseAllDocuments(text).flatMap((document) => document.toJS() ?? [])
  for (const object of objects) change(object)
  return objects
}
