import { describe, expect, test } from 'vitest'
import { type AgentConfig, agentConfig } from './agent-config.ts'
import { ConfigError } from './config-error.ts'
import { resolveValues } from './resolve.ts'

const server = { KUBERNETES_SERVICE_HOST: '10.0.0.1', KUBERNETES_SERVICE_PORT: '443' }
const config = (env: Record<string, string> = {}): AgentConfig =>
  agentConfig(resolveValues({}, [{ ...server, ...env }]))

test("the defaults are the same as Istio's", () => {
  const { install, repair, logSocket, healthPort, monitoringPort, warnings } = config()
  expect(install).toMatchObject({
    netDir: '/host/etc/cni/net.d',
    binDirs: ['/host/opt/cni/bin'],
    sourceDir: '/opt/cni/bin',
    mode: 'chained',
    confName: undefined,
    confMode: 0o600,
    kubeconfig: {
      path: '/var/run/istio-cni/istio-cni-kubeconfig',
      server: 'https://10.0.0.1:443',
      tokenFile: '/var/run/secrets/kubernetes.io/serviceaccount/token',
      caFile: '/var/run/secrets/kubernetes.io/serviceaccount/ca.crt',
      skipTls: false,
      mode: 0o600,
    },
  })
  expect({ repair, logSocket, healthPort, monitoringPort, warnings }).toEqual({
    repair: undefined,
    logSocket: '/var/run/istio-cni/log.sock',
    healthPort: 8000,
    monitoringPort: 15014,
    warnings: [],
  })
})

test("the plugin's entry asks for pod annotations by default, and has a check mode if one is set", () => {
  expect(config().install.plugin.capabilities).toEqual({ 'io.kubernetes.cri.pod-annotations': true })
  const { plugin } = config({ POD_ANNOTATIONS_CAPABILITY: 'false', CHECK_MODE: 'none' }).install
  expect(plugin).toMatchObject({ check_mode: 'none' })
  expect(plugin).not.toHaveProperty('capabilities')
})

test('selectors are YAML 1.1, and unknown keys are refused', () => {
  const yaml = `
- podSelector: {matchLabels: {mode: y, size: 3}}
- podSelector:
    matchExpressions: [{key: mode, operator: NotIn, values: [none]}]
  namespaceSelector: {matchLabels: {mode: ambient}}
`
  expect(config({ AMBIENT_ENABLEMENT_SELECTOR: yaml }).install.plugin.enablement_selectors).toEqual([
    { podSelector: { matchLabels: { mode: 'true', size: '3' } }, namespaceSelector: {} },
    {
      podSelector: { matchExpressions: [{ key: 'mode', operator: 'NotIn', values: ['none'] }] },
      namespaceSelector: { matchLabels: { mode: 'ambient' } },
    },
  ])
})

describe('owned mode', () => {
  const owned = { ISTIO_OWNED_CNI_CONFIG: 'true', AMBIENT_ENABLED: 'true' }
  test('needs ambient mode and a chained plugin', () => {
    expect(config(owned).install.mode).toEqual({ owned: '02-istio-cni.conflist' })
    expect(config({ ...owned, ISTIO_OWNED_CNI_CONF_FILENAME: '01-x.conflist' }).install.mode).toEqual({
      owned: '01-x.conflist',
    })
    expect(config({ ...owned, CHAINED_CNI_PLUGIN: 'false' }).install.mode).toBe('standalone')
    const { install, warnings } = config({ ISTIO_OWNED_CNI_CONFIG: 'true' })
    expect([install.mode, warnings]).toEqual([
      'chained',
      [expect.stringContaining('no effect without AMBIENT_ENABLED')],
    ])
  })
})

test('repair has a configuration only if it is enabled and has a mode', () => {
  expect(config({ REPAIR_LABEL_PODS: 'true', REPAIR_NODE_NAME: 'n1', FORCE_IPTABLES_BINARY: 'nft' }).repair).toEqual({
    repairPods: false,
    deletePods: false,
    labelPods: true,
    brokenPodLabelKey: 'cni.istio.io/uninitialized',
    brokenPodLabelValue: 'true',
    nodeName: 'n1',
    sidecarAnnotation: 'sidecar.istio.io/status',
    initContainerName: 'istio-validation',
    initContainerTerminationMessage: '',
    initContainerExitCode: 126,
    labelSelectors: '',
    fieldSelectors: '',
    nativeNftables: false,
    forceIptablesBinary: 'nft',
    agentRunDir: '/var/run/istio-cni',
  })
  expect(config({ REPAIR_LABEL_PODS: 'true', REPAIR_ENABLED: 'false' }).repair).toBeUndefined()
})

test('the container runtime is queried only if its socket is set', () => {
  expect([config().cri, config({ CRI_SOCKET: '' }).cri]).toEqual([undefined, undefined])
  const socket = '/run/containerd/containerd.sock'
  expect(config({ CRI_SOCKET: socket }).cri).toEqual({ socket, chained: true })
  const runtimeOf = (path: string) => config({ CRI_SOCKET: path }).install.runtime
  const paths = ['/run/k3s/containerd/containerd.sock', '/run/crio/crio.sock', '/run/cri-dockerd.sock', '']
  expect(paths.map(runtimeOf)).toEqual(['containerd', 'cri-o', undefined, undefined])
  expect(config({ CRI_SOCKET: socket, CHAINED_CNI_PLUGIN: 'false' }).cri).toEqual({ socket, chained: false })
})

test('a decimal file mode is used as given, with a warning', () => {
  const { install, warnings } = config({ KUBECONFIG_MODE: '64' })
  expect(install.kubeconfig?.mode).toBe(64)
  expect(warnings).toEqual([expect.stringContaining('octal numbers begin with 0')])
})

test.each([
  [{ KUBERNETES_SERVICE_PORT: '' }, 'KUBERNETES_SERVICE_PORT is not set'],
  [{ KUBERNETES_SERVICE_HOST: 'a b' }, 'is not the URL of an API server'],
  [{ CRI_SOCKET: 'unix:///run/crio/crio.sock' }, 'CRI_SOCKET has the value "unix:///run/crio/crio.sock": expected an'],
  [{ CHECK_MODE: 'sometimes' }, 'CHECK_MODE has the value "sometimes": expected verify or none, or nothing'],
  [{ FORCE_IPTABLES_BINARY: 'iptables\n' }, 'FORCE_IPTABLES_BINARY has the value "iptables\\n"'],
  [{ HOST_PROBE_SNAT_IPV6: '10.0.0.1' }, 'expected an IPv6 address'],
  [{ HEALTH_PORT: '65536' }, 'HEALTH_PORT 65536 is not a port'],
  [{ MONITORING_PORT: '70000' }, 'MONITORING_PORT 70000 is not a port'],
  [{ KUBECONFIG_MODE: '99999' }, 'KUBECONFIG_MODE 99999 is not a file mode'],
  [{ MOUNTED_CNI_NET_DIR: '' }, 'MOUNTED_CNI_NET_DIR has the value "": expected an absolute path'],
  [{ MOUNTED_CNI_BIN_DIRS: '/a, b' }, 'MOUNTED_CNI_BIN_DIRS has the value "b"'],
  [{ MOUNTED_CNI_BIN_DIRS: ',' }, 'MOUNTED_CNI_BIN_DIRS has the value ""'],
  [{ CNI_AGENT_RUN_DIR: 'run' }, 'CNI_AGENT_RUN_DIR has the value "run"'],
  [{ CNI_CONF_NAME: '../x.conf' }, 'CNI_CONF_NAME has the value "../x.conf": expected a file name'],
  [{ ISTIO_OWNED_CNI_CONFIG_FILENAME: '02-x' }, 'ISTIO_OWNED_CNI_CONFIG_FILENAME has the value "02-x"'],
  [{ AMBIENT_ENABLEMENT_SELECTOR: '{' }, 'AMBIENT_ENABLEMENT_SELECTOR is not YAML'],
  [{ AMBIENT_ENABLEMENT_SELECTOR: 'a: b' }, 'AMBIENT_ENABLEMENT_SELECTOR: the document'],
  [
    { AMBIENT_ENABLEMENT_SELECTOR: '- podSelector: {matchExpressions: [{key: a, operator: Near}]}' },
    'AMBIENT_ENABLEMENT_SELECTOR: 0.podSelector.matchExpressions.0.operator',
  ],
  [
    { AMBIENT_ENABLEMENT_SELECTOR: '- podSelector: {matchExpressions: [{key: a, operator: In}]}' },
    'AMBIENT_ENABLEMENT_SELECTOR: 0.podSelector: operator In of key "a" needs at least one value',
  ],
  [
    { AMBIENT_ENABLEMENT_SELECTOR: '- podSelector: {matchLabels: [a]}' },
    'AMBIENT_ENABLEMENT_SELECTOR: 0.podSelector.matchLabels',
  ],
  [{ AMBIENT_REDIRECT_MODE: 'node' }, 'AMBIENT_REDIRECT_MODE has the value "node": expected inpod or node-iptables'],
  [{ AMBIENT_REDIRECT_MODE: 'node-iptables', EBPF_ENABLED: 'true' }, 'but EBPF_ENABLED asks for node-ebpf'],
  [{ AMBIENT_REDIRECT_MODE: 'inpod', EBPF_ENABLED: '1' }, 'AMBIENT_REDIRECT_MODE is inpod, but EBPF_ENABLED'],
  [{ AMBIENT_TUNNEL: 'gre' }, 'AMBIENT_TUNNEL has the value "gre": expected geneve or vxlan'],
  [
    { AMBIENT_CONFIG_FILE: 'config.json' },
    'AMBIENT_CONFIG_FILE has the value "config.json": expected an absolute path',
  ],
  [{ HOST_IP: 'fd00::1' }, 'HOST_IP has the value "fd00::1": expected an IPv4 address'],
])('%j is refused with a message that names the setting', (env, sentence) => {
  expect(() => config(env)).toThrow(ConfigError)
  expect(() => config(env)).toThrow(sentence)
})

describe('ambient mode on the node level', () => {
  const ambient = { AMBIENT_ENABLED: 'true', AMBIENT_ENABLEMENT_SELECTOR: '- podSelector: {matchLabels: {a: b}}' }
  const byNamespace = [
    { podSelector: {}, namespaceSelector: { matchLabels: { 'istio.io/dataplane-mode': 'ambient' } } },
  ]

  test.each([
    [{}, undefined],
    [{ AMBIENT_REDIRECT_MODE: 'inpod' }, undefined],
    [{ AMBIENT_REDIRECT_MODE: 'node-iptables' }, { mode: 'node-iptables', tunnel: 'geneve' }],
    [
      { AMBIENT_REDIRECT_MODE: 'node-iptables', AMBIENT_TUNNEL: 'vxlan' },
      { mode: 'node-iptables', tunnel: 'vxlan' },
    ],
    [{ AMBIENT_REDIRECT_MODE: 'node-ebpf' }, { mode: 'node-ebpf' }],
    [{ EBPF_ENABLED: 'true' }, { mode: 'node-ebpf' }],
    [{ AMBIENT_REDIRECT_MODE: 'node-ebpf', EBPF_ENABLED: 'true' }, { mode: 'node-ebpf' }],
    [{ AMBIENT_REDIRECT_MODE: 'node-iptables', HOST_IP: '10.0.0.1' }, { hostIp: '10.0.0.1' }],
  ])('%j gives %j', (env, expected) => {
    const { nodeLevel } = config({ ...ambient, ...env }).ambient ?? {}
    if (expected === undefined) expect(nodeLevel).toBeUndefined()
    else expect(nodeLevel).toMatchObject({ configFile: '/etc/ambient-config/config.json', ...expected })
  })

  test("is off without AMBIENT_ENABLED, and the plugin's configuration does not mention it", () => {
    const { ambient, install, warnings } = config({ AMBIENT_REDIRECT_MODE: 'node-iptables' })
    expect(ambient).toBeUndefined()
    expect(install.plugin).not.toHaveProperty('ambient_redirect_mode')
    expect(warnings).toEqual(['AMBIENT_REDIRECT_MODE node-iptables has no effect without AMBIENT_ENABLED'])
  })

  test('warns that it is experimental and IPv4 only, and selects pods by the label of their namespace', () => {
    const { ambient: enrolment, install, warnings } = config({ ...ambient, AMBIENT_REDIRECT_MODE: 'node-iptables' })
    expect(warnings).toEqual([expect.stringMatching(/experimental.*ptp.*IPv4 only/)])
    expect(enrolment).toMatchObject({ selectors: byNamespace, optOut: true })
    expect(install.plugin).toMatchObject({ enablement_selectors: byNamespace, ambient_redirect_mode: 'node-iptables' })
  })

  test('warns if IPv6 is enabled', () => {
    const { warnings } = config({ ...ambient, AMBIENT_REDIRECT_MODE: 'node-ebpf', AMBIENT_IPV6: 'true' })
    expect(warnings).toEqual([
      expect.stringMatching(/IPv6 traffic of pods is not in the mesh, though AMBIENT_IPV6 asks for it$/),
    ])
  })
})
