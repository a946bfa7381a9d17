import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { isObject } from '@cni/types'
import { describe, expect, test } from 'vitest'
import { parse } from 'yaml'
import { variables } from '../../src/agent/config/variables.ts'
import { DAEMON_SET } from '../../src/agent/on-cluster/daemon-set.ts'
import { CHART, HELM, helm, type Manifest, rendered } from './manifest.ts'

const IMAGE = { image: 'h/install-cni:1' }
const MINIMAL = { hub: 'h', tag: '1', image: 'install-cni', variant: 'minimal' }
const text = (path: string): string => readFileSync(join(CHART, path), 'utf8')
const defaults: unknown = parse(text('files/defaults.yaml'))
const schema: unknown = JSON.parse(text('values.schema.json'))
const profiles = readdirSync(join(CHART, 'files')).filter((name) => name.startsWith('profile-'))

describe('values and their schema agree', () => {
  test('every default is a key of the schema and has its type', () => {
    expect(faults(defaults, schema)).toEqual([])
  })

  test.each(profiles)('%s changes only existing keys', (name) => {
    expect(faults(parse(text(`files/${name}`)), schema)).toEqual([])
  })

  test('values.yaml shows every default as a comment, and sets nothing', () => {
    const shown = text('values.yaml').replace(/^(?:#[^\n]*\n)+\n/, '')
    expect(parse(shown)).toBeNull()
    expect(shown.replaceAll(/^## /gm, '# # ').replaceAll(/^# /gm, '')).toBe(text('files/defaults.yaml'))
  })

  test('the schema describes each of its keys', () => {
    for (const [key, value] of Object.entries(node(node(schema).properties))) {
      expect([key, typeof node(value).description === 'string' || key === 'global']).toEqual([key, true])
    }
  })
})

test('agent and plugin use the DaemonSet’s name of the chart', () => {
  const template = text('templates/daemon-set.yaml')
  expect(template.match(/^metadata:\n {2}name: (.*)$/m)?.[1]).toBe(DAEMON_SET)
  const plugin = readFileSync(new URL('../../../istio-rules/src/decide/decide-without-api.ts', import.meta.url), 'utf8')
  expect(plugin).toContain(`name.startsWith('${DAEMON_SET}-')`)
})

describe.skipIf(HELM === undefined)('the chart', () => {
  test('passes helm lint', () => {
    const { status, stdout } = helm(['lint', CHART, '--strict'], IMAGE)
    expect([status, stdout]).toEqual([0, expect.stringContaining('0 chart(s) failed')])
  })

  test('has names that stay the same in all releases', () => {
    const args = ['template', 'another', CHART, '--namespace', 'kube-system']
    const { stdout } = helm(args, IMAGE)
    expect(stdout).toMatch(/^ {2}name: istio-cni-node\n {2}namespace: kube-system$/m)
    expect(stdout).not.toMatch(/^ {2}name: .*another/m)
  })

  test('gives the agent only variables that it knows', () => {
    const names = new Set<string>(Object.values(variables).flatMap(({ env }) => [...env]))
    const all = {
      ambient: { enabled: true, redirectMode: 'node-ebpf' },
      istioOwnedCNIConfig: true,
      istioOwnedCNIConfigFileName: '00-x.conf',
      cniConfFileName: 'x.conf',
    }
    const objects = rendered({ ...IMAGE, ...all })
    const { data } = one(objects, 'ConfigMap')
    const environment = list(container(objects).env).map((each) => String(node(each).name))
    // Istio's objects have these variables, and its agent does not read them either.
    const without = ['CURRENT_AGENT_VERSION', 'REPAIR_RUN_AS_DAEMON', 'ALLOW_SWITCH_TO_HOST_NS']
    const unknown = [...Object.keys(node(data)), ...environment].filter((name) => !names.has(name))
    expect(unknown).toEqual(expect.arrayContaining(['CURRENT_AGENT_VERSION']))
    expect(unknown.filter((name) => !without.includes(name))).toEqual([])
  })

  const REPAIR = ['SYS_ADMIN', 'SYS_PTRACE', 'NET_ADMIN', 'SYS_CHROOT']
  const watching = ['get pods', 'list pods', 'watch pods']
  const own = [
    'create events',
    'create serviceaccounts/token istio-cni-plugin',
    'get daemonsets.apps istio-cni-node',
    'patch events',
  ]
  const namespaces = ['list namespaces', 'watch namespaces']
  const DELETE = { repair: { repairPods: false, deletePods: true } }
  const LABEL = { repair: { repairPods: false, labelPods: true } }
  test.for<[string, object, capabilities: string[], agent: string[], plugin: string[]]>([
    ['repair in place', {}, REPAIR, watching, ['get pods']],
    [
      'repair in place with legacy iptables',
      { env: { FORCE_IPTABLES_BINARY: 'legacy' } },
      [...REPAIR, 'NET_RAW'],
      watching,
      ['get pods'],
    ],
    ['delete', DELETE, [], [...watching, 'create events', 'patch events', 'delete pods'], ['get pods']],
    ['label', LABEL, [], [...watching, 'create events', 'patch events', 'patch pods/status'], ['get pods']],
    ['no repair', { repair: { enabled: false } }, [], watching, ['get pods']],
    [
      'ambient',
      { profile: 'ambient', repair: { enabled: false } },
      [...REPAIR, 'NET_RAW'],
      [...watching, ...namespaces, 'patch pods/status'],
      ['get pods', 'get namespaces'],
    ],
    [
      'ambient without iptables',
      { profile: 'ambient', repair: { enabled: false }, global: { nativeNftables: true } },
      REPAIR,
      [...watching, ...namespaces, 'patch pods/status'],
      ['get pods', 'get namespaces'],
    ],
    [
      'ambient redirected on the node',
      { ambient: { enabled: true, redirectMode: 'node-iptables' } },
      [...REPAIR, 'NET_RAW'],
      [...watching, ...namespaces, 'get nodes', 'patch pods/status'],
      ['get pods', 'get namespaces'],
    ],
    ['nodes chosen by labels', { nodeSelector: { mesh: 'yes' } }, REPAIR, [...watching, 'get nodes'], ['get pods']],
  ])('grants exactly the needed capabilities: %s', ([, values, capabilities, agent, plugin]) => {
    const objects = rendered({ ...IMAGE, ...values })
    // A runtime makes /proc/sys read-only in any other container.
    const changesSettings = JSON.stringify(values).includes('node-iptables')
    expect(container(objects).securityContext).toMatchObject({
      privileged: changesSettings,
      readOnlyRootFilesystem: true,
      allowPrivilegeEscalation: changesSettings,
      capabilities: { drop: ['ALL'], ...(capabilities.length > 0 ? { add: capabilities } : {}) },
      seccompProfile: { type: 'RuntimeDefault' },
    })
    expect(rights(objects, 'istio-cni', 'ClusterRole')).toEqual([...new Set(agent)].sort())
    expect(rights(objects, 'istio-cni', 'Role')).toEqual(own)
    expect(rights(objects, 'istio-cni-plugin', 'ClusterRole')).toEqual(plugin.sort())
    expect(rights(objects, 'istio-cni-plugin', 'Role')).toEqual([])
  })

  test.for<[string, object, path: string | undefined]>([
    ['repair in place', {}, '/var/run/netns'],
    ['ambient', { profile: 'ambient', repair: { enabled: false } }, '/var/run/netns'],
    ['another folder', { cniNetnsDir: '/run/docker/netns' }, '/run/docker/netns'],
    ['a platform', { global: { platform: 'minikube' } }, '/var/run/docker/netns'],
    ['delete', DELETE, undefined],
    ['label', LABEL, undefined],
    ['no repair', { repair: { enabled: false } }, undefined],
  ])('mounts the namespaces of pods only where the agent searches them: %s', ([, values, path]) => {
    const objects = rendered({ ...IMAGE, ...values })
    const mounts = list(container(objects).volumeMounts).filter((one) => node(one).name === 'cni-netns-dir')
    const mount = { name: 'cni-netns-dir', mountPath: '/host/var/run/netns', readOnly: true }
    expect(mounts).toEqual(path === undefined ? [] : [{ ...mount, mountPropagation: 'HostToContainer' }])
    const { volumes } = node(node(node(one(objects, 'DaemonSet').spec).template).spec)
    const volume = { hostPath: { path: path ?? '/var/run/netns', type: 'DirectoryOrCreate' } }
    expect(list(volumes).find((one) => node(one).name === 'cni-netns-dir')).toMatchObject(volume)
  })

  test('without a plugin account has no objects of that account and no right to create tokens', () => {
    const objects = rendered({ ...IMAGE, pluginServiceAccount: '' })
    expect(objects.filter(({ metadata }) => metadata.name.includes('plugin'))).toEqual([])
    expect(rights(objects, 'istio-cni', 'Role').join()).not.toContain('token')
    const ambient = rendered({ ...IMAGE, profile: 'ambient', pluginServiceAccount: '' })
    expect(rights(ambient, 'istio-cni', 'ClusterRole')).toContain('get namespaces')
    expect(list(container(objects).env).map((each) => node(each).name)).not.toContain('PLUGIN_SERVICE_ACCOUNT')
  })

  test.for<[string, string[]]>([
    ['cluster', ['ClusterRole', 'ClusterRoleBinding']],
    ['namespace', ['ServiceAccount', 'ConfigMap', 'Role', 'RoleBinding', 'DaemonSet']],
  ])('makes the objects of scope %s', ([resourceScope, kinds]) => {
    const objects = rendered({ ...IMAGE, global: { resourceScope } })
    expect([...new Set(objects.map(({ kind }) => kind))].sort()).toEqual(kinds.sort())
  })

  test('mounts its configuration as a folder, so that a change needs no restart', () => {
    const objects = rendered({ ...IMAGE, configFromVolume: true })
    const { args, envFrom, volumeMounts } = container(objects)
    expect(args).toContain('--config-dir=/etc/istio-cni/config')
    expect(envFrom).toBeUndefined()
    expect(volumeMounts).toContainEqual({ name: 'config', mountPath: '/etc/istio-cni/config', readOnly: true })
  })

  test.for<[string, object, string[]]>([
    ['in pods', { enabled: true }, []],
    ['off', { redirectMode: 'node-ebpf' }, []],
    ['by iptables', { enabled: true, redirectMode: 'node-iptables' }, ['ambient-config']],
    ['by programs', { enabled: true, redirectMode: 'node-ebpf' }, ['ambient-config', 'bpffs']],
  ])('mounts the folders that node-level ambient mode needs: %s', ([, ambient, expected]) => {
    const objects = rendered({ ...IMAGE, ambient })
    const mounts = list(container(objects).volumeMounts).map((each) => String(node(each).name))
    expect(mounts.filter((name) => !/^cni-/.test(name))).toEqual(expected)
    const mode = node(one(objects, 'ConfigMap').data).AMBIENT_REDIRECT_MODE
    expect(mode !== undefined).toBe(expected.length > 0)
  })

  test('mounts the folder of the runtime’s socket, and sets its variable, only on request', () => {
    const mounts = (values: object) => {
      const objects = rendered({ ...IMAGE, ...values })
      const { volumeMounts } = container(objects)
      const found = list(volumeMounts).filter((each) => node(each).name === 'cri-socket-dir')
      return [...found, node(one(objects, 'ConfigMap').data).CRI_SOCKET]
    }
    expect(mounts({})).toEqual([undefined])
    expect(mounts({ criSocket: '/run/containerd/containerd.sock' })).toEqual([
      {
        name: 'cri-socket-dir',
        mountPath: '/host/run/containerd',
        readOnly: true,
        // Without propagation the agent would hold the mounts of ended containers.
        mountPropagation: 'HostToContainer',
      },
      '/host/run/containerd/containerd.sock',
    ])
    const objects = rendered({ ...IMAGE, criSocket: '/run/crio/crio.sock' })
    const volumes = list(node(node(node(node(one(objects, 'DaemonSet').spec).template).spec)).volumes)
    expect(volumes).toContainEqual({ name: 'cri-socket-dir', hostPath: { path: '/run/crio', type: 'Directory' } })
  })

  test.each(['containerd.sock', 'unix:///run/containerd/containerd.sock', '/containerd.sock', '/run/containerd/'])(
    'refuses %s as the socket of the runtime',
    (criSocket) => {
      expect(helm(['template', 'cni', CHART], { ...IMAGE, criSocket })).toMatchObject({
        status: 1,
        stderr: expect.stringContaining('criSocket'),
      })
    },
  )

  test('has a PodMonitor for the port of the metrics', () => {
    const monitor = one(
      rendered({ ...IMAGE, podMonitor: { enabled: true, labels: { release: 'prometheus' } } }),
      'PodMonitor',
    )
    expect(monitor).toMatchObject({
      metadata: { labels: { release: 'prometheus' } },
      spec: { podMetricsEndpoints: [{ port: 'metrics', interval: '30s' }] },
    })
  })

  test('cleans each named node after the release is deleted, with its settings and without a token', () => {
    const objects = rendered({ ...IMAGE, cleanUp: { nodes: ['a', 'b'] }, chained: false, cniConfFileName: 'x.conf' })
    const jobs = objects.filter(({ kind }) => kind === 'Job')
    expect(new Set(jobs.map(({ metadata }) => metadata.name)).size).toBe(2)
    expect(jobs[0]).toMatchObject({
      metadata: { annotations: { 'helm.sh/hook': 'post-delete' } },
      spec: {
        template: {
          spec: {
            nodeName: 'a',
            automountServiceAccountToken: false,
            containers: [
              {
                command: ['install-cni', 'uninstall'],
                env: expect.arrayContaining([
                  { name: 'CHAINED_CNI_PLUGIN', value: 'false' },
                  { name: 'CNI_CONF_NAME', value: 'x.conf' },
                ]),
              },
            ],
          },
        },
      },
    })
  })

  test.for<[object, string]>([
    [{ cniBinDirr: '/x' }, "additional properties 'cniBinDirr' not allowed"],
    [{ repair: { repairPod: true } }, "at '/repair': additional properties 'repairPod' not allowed"],
    [{ cni: { hubb: 'x' } }, "at '/cni': additional properties 'hubb' not allowed"],
    [{ repair: { enabled: 'maybe' } }, "at '/repair/enabled': got string, want boolean"],
    [{ cniBinDir: 'opt/cni/bin' }, "at '/cniBinDir': 'opt/cni/bin' does not match pattern '^/"],
    [{ cniConfFileName: '10-x.json' }, "at '/cniConfFileName': '10-x.json' does not match pattern"],
    [
      { ambient: { redirectMode: 'tproxy' } },
      "at '/ambient/redirectMode': value must be one of 'inpod', 'node-iptables'",
    ],
    [{ ambient: { tunnel: 'gre' } }, "at '/ambient/tunnel': value must be one of 'geneve', 'vxlan'"],
    [{ provider: 'cilium' }, "at '/provider': value must be one of 'default', 'multus'"],
    [{ global: { resourceScope: 'node' } }, "at '/global/resourceScope': value must be one of"],
    [{ env: { 'A-B': '1' } }, "'A-B' does not match pattern"],
    [{ profile: 'k4s' }, 'profile "k4s" is unknown: expected one of ambient, '],
    [{ compatibilityVersion: '1.2' }, 'compatibilityVersion "compatibility-version-1.2" is unknown'],
    [
      { ...MINIMAL, profile: 'ambient' },
      'ambient mode with iptables needs them: set variant "", or set global.nativeNftables',
    ],
    [{ ...MINIMAL, env: { FORCE_IPTABLES_BINARY: 'legacy' } }, 'env.FORCE_IPTABLES_BINARY legacy needs them'],
    [{ image: 'install-cni' }, 'which image is to run? Set hub (or global.hub) and tag'],
  ])('refuses %j and says why', ([values, words]) => {
    const { status, stderr } = helm(['template', 'cni', CHART], { ...IMAGE, ...values })
    expect([status, stderr]).toEqual([1, expect.stringContaining(words)])
  })
})

/** Faults of values: keys that the schema lacks, or values of another type. */
function faults(values: unknown, declared: unknown, path = ''): string[] {
  const { properties, type } = node(declared)
  const types = [type].flat()
  const has = Array.isArray(values) ? 'array' : typeof values
  if (type !== undefined && !types.includes(has) && !(has === 'number' && types.includes('integer'))) {
    return [`${path} is ${has}`]
  }
  if (!isObject(values) || properties === undefined) return []
  return Object.entries(values).flatMap(([key, value]) => {
    const inner = node(properties)[key]
    return inner === undefined ? [`${path}/${key} is not declared`] : faults(value, inner, `${path}/${key}`)
  })
}

/** The verbs on resources that a service account gets by roles of one kind, one line each. */
function rights(objects: readonly Manifest[], account: string, kind: 'Role' | 'ClusterRole'): string[] {
  const bound = objects
    .filter((object) => object.kind === `${kind}Binding` && node(list(object.subjects)[0]).name === account)
    .map(({ roleRef }) => node(roleRef).name)
  const roles = objects.filter((object) => object.kind === kind && bound.includes(object.metadata.name))
  const lines = roles.flatMap(({ rules }) =>
    list(rules).flatMap((rule) => {
      const { apiGroups, resources, verbs, resourceNames = [''] } = node(rule)
      const group = list(apiGroups).join()
      return list(resources).flatMap((resource) =>
        list(verbs).map((verb) => `${verb} ${resource}${group && `.${group}`} ${list(resourceNames).join()}`.trim()),
      )
    }),
  )
  return [...new Set(lines)].sort()
}

function one(objects: readonly Manifest[], kind: string): Manifest {
  const found = objects.find((object) => object.kind === kind)
  if (found === undefined) throw new Error(`no ${kind}`)
  return found
}

const container = (objects: readonly Manifest[]) =>
  node(list(node(node(node(one(objects, 'DaemonSet').spec).template).spec).containers)[0])

const node = (value: unknown): Record<string, unknown> => (isObject(value) ? value : {})
const list = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : [])
