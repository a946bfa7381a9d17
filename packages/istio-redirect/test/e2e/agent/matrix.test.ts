import { expect, test } from 'vitest'
import { type AgentNode, agentNode, calico, entryOf, eventually, withEntry } from '../../stage/agent-node.ts'

const minikube = '{"name":"rkt.kubernetes.io","type":"bridge","bridge":"mybridge","isDefaultGateway":true}'
/** The list that a single configuration becomes. Its name and its text stay unchanged. */
const listOf = (...plugins: string[]) => `{
  "cniVersion": "0.3.1",
  "name": "rkt.kubernetes.io",
  "plugins": [
    ${plugins.join(',\n    ')}
  ]
}
`
const listOfMinikube = listOf(minikube)
const badMinikube = '{"name":"rkt.kubernetes.io","bridge":"mybridge"}'
const notJson = 'this is not JSON\n'
const noName = calico.replace('"name"', '"nam"')
const noPlugins = calico.replace('"plugins"', '"plugns"')

const [C, M, BM, NJ, NN, NP] = [
  ['calico.conflist', calico],
  ['minikube_cni.conf', minikube],
  ['bad_minikube_cni.conf', badMinikube],
  ['non_json.conf', notJson],
  ['noname_calico.conflist', noName],
  ['noplugins_calico.conflist', noPlugins],
] as const
type File = readonly [name: string, text: string]

const settings = (confName: string, chained: boolean) => ({
  ...(confName === '' ? {} : { CNI_CONF_NAME: confName }),
  CHAINED_CNI_PLUGIN: String(chained),
  EXCLUDE_NAMESPACES: 'istio-system',
})

const entry = (node: AgentNode) => entryOf(node, { plugin_log_level: 'debug', exclude_namespaces: ['istio-system'] })

/** The list with the plugin, in the same format as the plugin before it. */
const installedIn = (list: string, node: AgentNode) =>
  list === listOfMinikube ? listOf(minikube, JSON.stringify(entry(node))) : withEntry(list, entry(node))

/** The entry alone in a file. Its members are in source order, and the version is first. */
function standalone(node: AgentNode): string {
  const inOrder = {
    cniVersion: '0.3.1',
    name: 'istio-cni',
    type: 'istio-cni',
    ipam: {},
    dns: {},
    plugin_log_level: 'debug',
    cni_agent_run_dir: node.path('run'),
    ambient_enabled: false,
    enablement_selectors: [],
    exclude_namespaces: ['istio-system'],
    pod_namespace: '',
    native_nftables: false,
    enable_ambient_detection_retry: false,
  }
  return `${JSON.stringify(inOrder, null, 2)}\n`
}

const numbered = (files: readonly File[]) =>
  Object.fromEntries(files.map(([name, text], index) => [`0${index}-${name}`, text]))

test.concurrent.for<[number, File[], string, boolean, string, string | undefined]>([
  [1, [C], '00-calico.conflist', true, '00-calico.conflist', calico],
  [2, [M], '00-minikube_cni.conf', true, '00-minikube_cni.conflist', listOfMinikube],
  [3, [C, M], '', true, '00-calico.conflist', calico],
  [4, [M, C], '', true, '00-minikube_cni.conflist', listOfMinikube],
  [5, [NJ, M, C], '', true, '01-minikube_cni.conflist', listOfMinikube],
  [6, [NJ, C, M], '', true, '01-calico.conflist', calico],
  [7, [BM, M, C], '', true, '01-minikube_cni.conflist', listOfMinikube],
  [8, [BM, C, M], '', true, '01-calico.conflist', calico],
  [9, [NN, NP, M, C], '', true, '02-minikube_cni.conflist', listOfMinikube],
  [10, [NN, NP, C, M], '', true, '02-calico.conflist', calico],
  [11, [C], '00-calico.conf', true, '00-calico.conflist', calico],
  [12, [M], '00-minikube_cni.conflist', true, '00-minikube_cni.conflist', listOfMinikube],
  [15, [], '', false, 'YYY-istio-cni.conf', undefined],
  [16, [], 'user-defined.conf', false, 'user-defined.conf', undefined],
])(
  'row %i: installed, put back after tampering, cleaned at the end',
  async ([, files, name, chained, result, clean]) => {
    await using node = agentNode({ net: numbered(files) })
    const agent = await node.start({ argv: ['--log_output_level=cni-plugin:debug'], env: settings(name, chained) })
    await eventually(agent.ready, () => `ready: ${agent.log()}`)
    const installed = clean === undefined ? standalone(node) : installedIn(clean, node)
    expect(node.read(`net/${result}`)).toBe(installed)
    expect(node.read('bin/istio-cni')).toBe('plugin v1')
    expect(node.read('run/istio-cni-kubeconfig')).toContain('server: https://10.110.0.1:443')
    node.write(`net/${result}`, clean ?? '{}')
    await eventually(() => node.read(`net/${result}`) === installed, 'put back')
    await expectCleanEnd(node, agent, result, clean)
    for (const [other, text] of Object.entries(numbered(files))) {
      if (other.replace('.conflist', '.conf') !== result.replace('.conflist', '.conf')) {
        expect(node.read(`net/${other}`)).toBe(text)
      }
    }
  },
)

test.concurrent.for<[number, string, string, string]>([
  [13, 'missing_initially.conf', 'missing_initially.conf', 'missing_initially.conflist'],
  [14, '', 'calico.conflist', 'calico.conflist'],
])('row %i: the agent waits for a configuration that comes later', async ([, name, file, result]) => {
  await using node = agentNode({ net: {} })
  const agent = await node.start({ argv: ['--log_output_level=cni-plugin:debug'], env: settings(name, true) })
  await eventually(() => node.names().includes('run/istio-cni-kubeconfig'), 'all but the network')
  expect(await agent.get('/readyz')).toMatchObject({ status: 503 })
  expect(node.names().filter((one) => one.startsWith('net/'))).toEqual([])
  node.write(`net/${file}`, calico)
  await eventually(agent.ready, () => `ready: ${agent.log()}`)
  expect(node.read(`net/${result}`)).toBe(withEntry(calico, entry(node)))
  await expectCleanEnd(node, agent, result, calico)
})

async function expectCleanEnd(
  node: AgentNode,
  agent: Awaited<ReturnType<AgentNode['start']>>,
  result: string,
  clean: string | undefined,
): Promise<void> {
  agent.kill('SIGTERM')
  expect(await agent.exit).toEqual({ code: 0, signal: null })
  const left = node.names()
  expect(left.includes(`net/${result}`)).toBe(clean !== undefined)
  if (clean !== undefined) expect(node.read(`net/${result}`)).toBe(clean)
  expect(left.filter((one) => /tmp|kubeconfig|\.sock$|^bin\/istio-cni$/.test(one))).toEqual([])
}
