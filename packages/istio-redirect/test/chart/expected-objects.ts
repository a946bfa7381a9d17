import type { Manifest } from './manifest.ts'

/** Values of a chart that change the chart's Kubernetes objects, by the names of the values. */
export interface Settings {
  readonly repair?: 'repair' | 'delete' | 'label' | 'none' | 'off'
  readonly ambient?: boolean
  readonly shareHostNetworkNamespace?: boolean
  readonly openshift?: boolean
  readonly quota?: boolean
  readonly networkPolicy?: boolean
  readonly binDir?: string
  readonly confDir?: string
  readonly netnsDir?: string
  readonly ownedFile?: string
  readonly reconcile?: boolean
  readonly env?: Readonly<Record<string, string>>
  readonly resources?: object
  readonly affinity?: object
}

/**
 * Builds the Kubernetes objects that Istio's chart renders in the namespace istio-system, with the image
 * h/install-cni:1.30.3.
 */
export function expectedObjects(settings: Settings = {}): Manifest[] {
  const { repair = 'repair', ambient = false, openshift = false, quota = false, networkPolicy = false } = settings
  const roles: [role: string, binding: string, rules: Rule[]][] = [
    [
      'istio-cni',
      'istio-cni',
      [
        ['', 'pods,nodes,namespaces', 'get,list,watch'],
        ...(openshift ? [['security.openshift.io', 'securitycontextconstraints', 'use', 'privileged'] as Rule] : []),
      ],
    ],
  ]
  if (repair !== 'off') roles.push(['istio-cni-repair-role', 'istio-cni-repair-rolebinding', repairRules(repair)])
  if (ambient) {
    const rules: Rule[] = [
      ['', 'pods/status', 'patch,update'],
      ['apps', 'daemonsets', 'get', 'istio-cni-node'],
    ]
    roles.push(['istio-cni-ambient', 'istio-cni-ambient', rules])
  }
  return [
    { apiVersion: 'v1', kind: 'ServiceAccount', metadata: inNamespace('istio-cni') },
    ...roles.flatMap(([role, binding, rules]) => [clusterRole(role, rules), roleBinding(binding, role)]),
    { apiVersion: 'v1', kind: 'ConfigMap', metadata: inNamespace('istio-cni-config'), data: config(settings) },
    daemonSet(settings),
    ...(networkPolicy ? [NETWORK_POLICY] : []),
    ...(quota ? [QUOTA] : []),
    ...(openshift ? [NETWORK_ATTACHMENT] : []),
  ]
}

type Rule = readonly [group: string, resources: string, verbs: string, name?: string]

const inNamespace = (name: string, namespace = 'istio-system') => ({ name, namespace })

function repairRules(mode: Settings['repair']): Rule[] {
  return [
    ['', 'events', 'create,patch'],
    ['', 'pods', 'watch,get,list'],
    ...(mode === 'delete' ? [['', 'pods', 'delete'] as Rule] : []),
    ...(mode === 'label' ? [['', 'pods/status', 'patch,update'] as Rule] : []),
  ]
}

const clusterRole = (name: string, rules: readonly Rule[]): Manifest => ({
  apiVersion: 'rbac.authorization.k8s.io/v1',
  kind: 'ClusterRole',
  metadata: { name },
  rules: rules.map(([group, resources, verbs, only]) => ({
    apiGroups: [group],
    resources: resources.split(','),
    verbs: verbs.split(','),
    ...(only === undefined ? {} : { resourceNames: [only] }),
  })),
})

const roleBinding = (name: string, role: string): Manifest => ({
  apiVersion: 'rbac.authorization.k8s.io/v1',
  kind: 'ClusterRoleBinding',
  metadata: { name },
  roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: role },
  subjects: [{ kind: 'ServiceAccount', ...inNamespace('istio-cni') }],
})

function config({ repair = 'repair', ambient = false, ...settings }: Settings): Record<string, string> {
  return {
    CURRENT_AGENT_VERSION: '1.30.3',
    AMBIENT_ENABLED: String(ambient),
    AMBIENT_ENABLEMENT_SELECTOR: `- podSelector:
    matchLabels:
      istio.io/dataplane-mode: ambient
- namespaceSelector:
    matchLabels:
      istio.io/dataplane-mode: ambient
  podSelector:
    matchExpressions:
    - key: istio.io/dataplane-mode
      operator: NotIn
      values:
      - none`,
    AMBIENT_DNS_CAPTURE: 'true',
    AMBIENT_IPV6: 'true',
    AMBIENT_RECONCILE_POD_RULES_ON_STARTUP: String(settings.reconcile ?? true),
    ENABLE_AMBIENT_DETECTION_RETRY: 'false',
    ...(settings.openshift ? { CNI_CONF_NAME: 'istio-cni.conf' } : {}),
    ISTIO_OWNED_CNI_CONFIG: String(settings.ownedFile !== undefined),
    ...(settings.ownedFile === undefined ? {} : { ISTIO_OWNED_CNI_CONF_FILENAME: settings.ownedFile }),
    CHAINED_CNI_PLUGIN: String(settings.openshift !== true),
    EXCLUDE_NAMESPACES: 'kube-system',
    REPAIR_ENABLED: String(repair !== 'off'),
    REPAIR_LABEL_PODS: String(repair === 'label'),
    REPAIR_DELETE_PODS: String(repair === 'delete'),
    REPAIR_REPAIR_PODS: String(repairsPods({ repair })),
    REPAIR_INIT_CONTAINER_NAME: 'istio-validation',
    REPAIR_BROKEN_POD_LABEL_KEY: 'cni.istio.io/uninitialized',
    REPAIR_BROKEN_POD_LABEL_VALUE: 'true',
    NATIVE_NFTABLES: 'false',
    ...settings.env,
  }
}

/** True if the chart sets the value `repairPods`, as it does for the repair modes `repair` and `off`. */
const repairsPods = ({ repair = 'repair' }: Settings): boolean => repair === 'repair' || repair === 'off'

function daemonSet(settings: Settings): Manifest {
  const labels = { 'k8s-app': 'istio-cni-node' }
  const onHost = settings.ambient === true && settings.shareHostNetworkNamespace === true
  return {
    apiVersion: 'apps/v1',
    kind: 'DaemonSet',
    metadata: { ...inNamespace('istio-cni-node'), labels },
    spec: {
      selector: { matchLabels: labels },
      updateStrategy: { type: 'RollingUpdate', rollingUpdate: { maxUnavailable: 1 } },
      template: {
        metadata: {
          labels: { ...labels, 'sidecar.istio.io/inject': 'false', 'istio.io/dataplane-mode': 'none' },
          annotations: {
            'sidecar.istio.io/inject': 'false',
            'prometheus.io/scrape': 'true',
            'prometheus.io/port': '15014',
            'prometheus.io/path': '/metrics',
            'container.apparmor.security.beta.kubernetes.io/install-cni': 'unconfined',
          },
        },
        spec: {
          ...(onHost ? { hostNetwork: true, dnsPolicy: 'ClusterFirstWithHostNet' } : {}),
          ...(settings.affinity === undefined ? {} : { affinity: settings.affinity }),
          nodeSelector: { 'kubernetes.io/os': 'linux' },
          tolerations: [
            { effect: 'NoSchedule', operator: 'Exists' },
            { key: 'CriticalAddonsOnly', operator: 'Exists' },
            { effect: 'NoExecute', operator: 'Exists' },
          ],
          priorityClassName: 'system-node-critical',
          serviceAccountName: 'istio-cni',
          terminationGracePeriodSeconds: 30,
          containers: [container(settings, onHost)],
          volumes: volumes(settings),
        },
      },
    },
  }
}

function container(settings: Settings, onHost: boolean) {
  const field = (fieldPath: string) => ({ valueFrom: { fieldRef: { fieldPath } } })
  const limit = (resource: string) => ({ valueFrom: { resourceFieldRef: { resource } } })
  return {
    name: 'install-cni',
    image: 'h/install-cni:1.30.3',
    command: ['install-cni'],
    args: ['--log_output_level=info'],
    ports: [{ name: 'metrics', containerPort: 15014, protocol: 'TCP' }],
    readinessProbe: { httpGet: { path: '/readyz', port: 8000 } },
    securityContext: {
      runAsUser: 0,
      runAsGroup: 0,
      runAsNonRoot: false,
      privileged: false,
      capabilities: { drop: ['ALL'], add: ['NET_ADMIN', 'NET_RAW', 'SYS_PTRACE', 'SYS_ADMIN', 'DAC_OVERRIDE'] },
      ...(settings.openshift ? { seLinuxOptions: { type: 'spc_t' } } : {}),
    },
    envFrom: [{ configMapRef: { name: 'istio-cni-config' } }],
    env: [
      { name: 'REPAIR_NODE_NAME', ...field('spec.nodeName') },
      { name: 'REPAIR_RUN_AS_DAEMON', value: 'true' },
      { name: 'REPAIR_SIDECAR_ANNOTATION', value: 'sidecar.istio.io/status' },
      ...(onHost ? [] : [{ name: 'ALLOW_SWITCH_TO_HOST_NS', value: 'true' }]),
      { name: 'NODE_NAME', ...field('spec.nodeName') },
      { name: 'GOMEMLIMIT', ...limit('limits.memory') },
      { name: 'GOMAXPROCS', ...limit('limits.cpu') },
      { name: 'POD_NAME', ...field('metadata.name') },
      { name: 'POD_NAMESPACE', ...field('metadata.namespace') },
      ...Object.entries(settings.env ?? {}).map(([name, value]) => ({ name, value })),
    ],
    resources: settings.resources ?? { requests: { cpu: '100m', memory: '100Mi' } },
    volumeMounts: [
      { name: 'cni-bin-dir', mountPath: '/host/opt/cni/bin' },
      ...(settings.ambient || repairsPods(settings)
        ? [{ name: 'cni-host-procfs', mountPath: '/host/proc', readOnly: true }]
        : []),
      { name: 'cni-net-dir', mountPath: '/host/etc/cni/net.d' },
      { name: 'cni-socket-dir', mountPath: '/var/run/istio-cni' },
      ...(settings.ambient
        ? [
            { name: 'cni-netns-dir', mountPath: '/host/var/run/netns', mountPropagation: 'HostToContainer' },
            { name: 'cni-ztunnel-sock-dir', mountPath: '/var/run/ztunnel' },
          ]
        : []),
    ],
  }
}

function volumes({ binDir = '/opt/cni/bin', confDir = '/etc/cni/net.d', ...settings }: Settings) {
  const host = (name: string, path: string, type?: string) => ({ name, hostPath: { path, ...(type && { type }) } })
  const entersPods = settings.ambient || repairsPods(settings)
  return [
    host('cni-bin-dir', binDir),
    ...(entersPods ? [host('cni-host-procfs', '/proc', 'Directory')] : []),
    host('cni-net-dir', confDir),
    host('cni-socket-dir', '/var/run/istio-cni'),
    host('cni-netns-dir', settings.netnsDir ?? '/var/run/netns', 'DirectoryOrCreate'),
    ...(settings.ambient ? [host('cni-ztunnel-sock-dir', '/var/run/ztunnel', 'DirectoryOrCreate')] : []),
  ]
}

const NETWORK_POLICY: Manifest = {
  apiVersion: 'networking.k8s.io/v1',
  kind: 'NetworkPolicy',
  metadata: inNamespace('istio-cni'),
  spec: {
    podSelector: { matchLabels: { 'k8s-app': 'istio-cni-node' } },
    policyTypes: ['Ingress', 'Egress'],
    ingress: [
      {
        ports: [
          { protocol: 'TCP', port: 15014 },
          { protocol: 'TCP', port: 8000 },
        ],
      },
    ],
    egress: [{}],
  },
}

const QUOTA: Manifest = {
  apiVersion: 'v1',
  kind: 'ResourceQuota',
  metadata: inNamespace('istio-cni-resource-quota'),
  spec: {
    hard: { pods: '5000' },
    scopeSelector: {
      matchExpressions: [{ operator: 'In', scopeName: 'PriorityClass', values: ['system-node-critical'] }],
    },
  },
}

const NETWORK_ATTACHMENT: Manifest = {
  apiVersion: 'k8s.cni.cncf.io/v1',
  kind: 'NetworkAttachmentDefinition',
  metadata: inNamespace('istio-cni', 'default'),
}
