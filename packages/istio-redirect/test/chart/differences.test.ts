import { afterAll, describe, expect, test } from 'vitest'
import { expectedObjects, type Settings } from './expected-objects.ts'
import { differences, HELM, rendered } from './manifest.ts'
import { explains, type Row, rows } from './rows.ts'

const RESOURCES = { requests: { cpu: '1', memory: '1Gi' }, limits: { memory: '1Gi' } }
const IMAGE = { hub: 'h', tag: '1.30.3' }

/** Values in the form of Istio's chart, and the settings of the expected objects. */
const cases: readonly (readonly [what: string, values: object, settings: Settings])[] = [
  ['nothing but the image', {}, {}],
  ['the image in global', { hub: '', tag: '', global: { hub: 'h', tag: '1.30.3' } }, {}],
  ['broken pods deleted', { repair: { repairPods: false, deletePods: true } }, { repair: 'delete' }],
  ['broken pods labelled', { repair: { repairPods: false, labelPods: true } }, { repair: 'label' }],
  ['repair that does nothing', { repair: { repairPods: false } }, { repair: 'none' }],
  ['no repair', { repair: { enabled: false } }, { repair: 'off' }],
  ['ambient', { ambient: { enabled: true } }, { ambient: true }],
  ['the profile ambient', { profile: 'ambient' }, { ambient: true }],
  [
    'ambient on the host’s network',
    { ambient: { enabled: true, shareHostNetworkNamespace: true } },
    { ambient: true, shareHostNetworkNamespace: true },
  ],
  ['ambient on the node level, by iptables', NODE_LEVEL('node-iptables'), { ambient: true }],
  ['ambient on the node level, by programs', NODE_LEVEL('node-ebpf'), { ambient: true }],
  ['ambient with a value of earlier charts', NODE_LEVEL('iptables'), { ambient: true }],
  [
    'a list of our own',
    { ambient: { enabled: true }, istioOwnedCNIConfig: true, istioOwnedCNIConfigFileName: '00-x.conflist' },
    { ambient: true, ownedFile: '00-x.conflist' },
  ],
  [
    'k3s',
    { global: { platform: 'k3s' } },
    { binDir: '/var/lib/rancher/k3s/data/cni', confDir: '/var/lib/rancher/k3s/agent/etc/cni/net.d' },
  ],
  ['k3d', { profile: 'k3d' }, { binDir: '/bin', confDir: '/var/lib/rancher/k3s/agent/etc/cni/net.d' }],
  [
    'microk8s',
    { platform: 'microk8s' },
    {
      binDir: '/var/snap/microk8s/current/opt/cni/bin',
      confDir: '/var/snap/microk8s/current/args/cni-network',
    },
  ],
  ['minikube', { global: { platform: 'minikube' } }, { netnsDir: '/var/run/docker/netns' }],
  ['GKE', { profile: 'gke' }, { binDir: '/home/kubernetes/bin', quota: true }],
  [
    'OpenShift',
    { profile: 'openshift' },
    { openshift: true, binDir: '/var/lib/cni/bin', confDir: '/etc/cni/multus/net.d' },
  ],
  ['a platform whose folder the user knows better', { profile: 'gke', cniBinDir: '/x' }, { binDir: '/x', quota: true }],
  [
    'the former form',
    { cni: { cniBinDir: '/former', repair: { enabled: false } } },
    { binDir: '/former', repair: 'off' },
  ],
  ['an earlier version', { compatibilityVersion: '1.27' }, { reconcile: false }],
  ['a NetworkPolicy', { networkPolicy: { enabled: true } }, { networkPolicy: true }],
  ['variables', { env: { FORCE_IPTABLES_BINARY: 'nft' } }, { env: { FORCE_IPTABLES_BINARY: 'nft' } }],
  ['resources', { resources: RESOURCES }, { resources: RESOURCES }],
  ['affinity', { affinity: NODE_AFFINITY() }, { affinity: NODE_AFFINITY() }],
]

const used = new Set<Row>()

describe.skipIf(HELM === undefined)('objects differ from Istio’s only as differences.yaml says', () => {
  test.for(cases)('%s', ([, values, settings]) => {
    const found = differences(expectedObjects(settings), rendered({ ...IMAGE, ...values }))
    const unexplained = found.filter((one) => {
      const row = rows.find((each) => explains(each, one))
      if (row !== undefined) used.add(row)
      return row === undefined
    })
    expect(unexplained).toEqual([])
  })

  // A row that matches no difference could hide a later mistake.
  afterAll(() => {
    expect(rows.filter((row) => !used.has(row)).map(({ object, path }) => `${object} ${path}`)).toEqual([])
  })
})

test('every row has a sentence as its reason, and all reasons differ', () => {
  for (const { object, why } of rows) expect([object, why.length > 20 && !why.includes('\n')]).toEqual([object, true])
  const keys = rows.map(({ object, path, ours, istio }) => JSON.stringify([object, path, istio, ours]))
  expect(new Set(keys).size).toBe(keys.length)
})

function NODE_LEVEL(redirectMode: string) {
  return { ambient: { enabled: true, redirectMode, tunnel: 'vxlan' } }
}

function NODE_AFFINITY() {
  const nodeSelectorTerms = [{ matchExpressions: [{ key: 'mesh', operator: 'Exists' }] }]
  return { nodeAffinity: { requiredDuringSchedulingIgnoredDuringExecution: { nodeSelectorTerms } } }
}
