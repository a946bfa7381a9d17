import { bool, boolOrUnset, int, text, type Variable } from './variable.ts'

const envOnly = { envOnly: true } as const
const unused = { unused: true } as const

/** Every setting of the agent. Flags, variables, help and documentation are made from this table. */
export const variables = {
  // What is installed, and where
  cniConfName: text('cni-conf-name', '', "the primary network's file; empty: the first valid one"),
  chainedCniPlugin: bool('chained-cni-plugin', true, 'add the plugin to the primary list; false: a file of its own'),
  istioOwnedCniConfig: bool('istio-owned-cni-config', false, 'with ambient: add it to a copy that sorts first'),
  istioOwnedCniConfigFilename: text('istio-owned-cni-config-filename', '', "that copy's file", {
    env: ['ISTIO_OWNED_CNI_CONFIG_FILENAME', 'ISTIO_OWNED_CNI_CONF_FILENAME'],
    shown: '02-istio-cni.conflist',
  }),
  pinCniConf: bool('pin-cni-conf', false, 'stay in the first primary found when another comes to sort before it'),
  mountedCniNetDir: text('mounted-cni-net-dir', '/host/etc/cni/net.d', 'folder of network configurations'),
  mountedCniBinDirs: text('mounted-cni-bin-dirs', '/host/opt/cni/bin', 'folders that get the binaries, by comma'),
  cniNetDir: text('cni-net-dir', '', 'path of MOUNTED_CNI_NET_DIR on the node; empty: the same without /host'),
  mountedCniCacheDir: text(
    'mounted-cni-cache-dir',
    '',
    "runtimes' cache, for uninstall; empty: /var/lib/cni, below /host if MOUNTED_CNI_NET_DIR is",
  ),
  cniCacheDir: text('cni-cache-dir', '', 'path of MOUNTED_CNI_CACHE_DIR on the node; empty: the same without /host'),
  cniBinSourceDir: text('cni-bin-source-dir', '/opt/cni/bin', 'folder whose files are copied there'),
  cniAgentRunDir: text('cni-agent-run-dir', '/var/run/istio-cni', 'sockets and kubeconfig; the same path on the host'),
  cniConfGroupRead: bool('cni-conf-group-read', false, 'mode 0640 instead of 0600 for a configuration file of our own'),
  // Kubeconfig
  kubeconfigMode: int('kubeconfig-mode', 0o600, 'mode of the kubeconfig: 0600 is octal, 600 is not', { shown: '0600' }),
  kubeCaFile: text('kube-ca-file', '', 'CA of the kubeconfig; empty: ca.crt of the service account'),
  skipTlsVerify: bool('skip-tls-verify', false, 'a kubeconfig that trusts any server'),
  serviceAccountDir: text(
    'service-account-dir',
    '/var/run/secrets/kubernetes.io/serviceaccount',
    'token and ca.crt of the service account',
  ),
  pluginServiceAccount: text(
    'plugin-service-account',
    '',
    "service account in the agent's namespace whose tokens the plugin gets; empty: the agent's own token",
  ),
  kubernetesServiceHost: text('kubernetes-service-host', '', 'the API server', envOnly),
  kubernetesServicePort: text('kubernetes-service-port', '', 'its port', envOnly),
  kubernetesServiceProtocol: text('kubernetes-service-protocol', 'https', 'its protocol', envOnly),
  kubernetesNodeName: text(
    'kubernetes-node-name',
    '',
    'name of this node: for the log, and whose pods are watched',
    envOnly,
  ),
  // The plugin's configuration
  excludeNamespaces: text('exclude-namespaces', '', 'namespaces whose pods pass, by comma', envOnly),
  podNamespace: text('pod-namespace', '', "the agent's own namespace", envOnly),
  podName: text('pod-name', '', "the agent's own pod: events are about it", envOnly),
  podUid: text('pod-uid', '', 'its UID', envOnly),
  nativeNftables: bool('native-nftables', false, 'nftables instead of iptables', envOnly),
  checkMode: text('check-mode', '', 'verify or none: whether CHECK looks; empty: the plugin decides (verify)'),
  podAnnotationsCapability: bool(
    'pod-annotations-capability',
    true,
    'ask containerd for pod annotations, so that pods outside the mesh need no request',
  ),
  servePlugin: bool('serve-plugin', true, 'answer the calls of the plugin, which then need not ask the API server'),
  criSocket: text(
    'cri-socket',
    '',
    "the container runtime's CRI socket, to ask which networks it has loaded; empty: the runtime is not asked",
  ),
  // Log, health, metrics
  logOutputLevel: text(
    'log_output_level',
    'default:info',
    'scope:level,…; scopes: all, default, cni-agent, cni-plugin',
  ),
  logAsJson: boolOrUnset('log_as_json', 'true, at a terminal false', 'one JSON object a line'),
  logTarget: text('log_target', 'stdout', 'stdout, stderr or files, by comma'),
  healthPort: int('health-port', 8000, 'port of /healthz and /readyz; 0: any free one, which the log names'),
  monitoringPort: int('monitoring-port', 15014, 'port of /metrics; 0 or less: none'),
  // Repair
  repairEnabled: bool('repair-enabled', true, 'look for pods that started without the plugin'),
  repairRepairPods: bool('repair-repair-pods', false, 'write their rules from outside', envOnly),
  repairDeletePods: bool('repair-delete-pods', false, 'delete them'),
  repairLabelPods: bool('repair-label-pods', false, 'label them'),
  repairBrokenPodLabelKey: text('repair-broken-pod-label-key', 'cni.istio.io/uninitialized', 'key of that label'),
  repairBrokenPodLabelValue: text('repair-broken-pod-label-value', 'true', 'value of that label'),
  repairNodeName: text('repair-node-name', '', 'only pods of this node; empty: of all nodes'),
  repairSidecarAnnotation: text('repair-sidecar-annotation', 'sidecar.istio.io/status', 'only pods that have it'),
  repairInitContainerName: text('repair-init-container-name', 'istio-validation', 'init container that notices'),
  repairInitContainerTerminationMessage: text(
    'repair-init-container-termination-message',
    '',
    'its termination message; empty: any',
  ),
  repairInitContainerExitCode: int('repair-init-container-exit-code', 126, 'its exit code; 0: any'),
  repairLabelSelectors: text('repair-label-selectors', '', 'label selector of the pods'),
  repairFieldSelectors: text('repair-field-selectors', '', 'field selector of the pods'),
  // Ambient mode
  ambientEnabled: bool('ambient-enabled', false, 'ambient mode'),
  enableAmbientDetectionRetry: bool('enable-ambient-detection-retry', false, 'fail a pod that cannot be looked up'),
  ambientEnablementSelector: text('ambient-enablement-selector', '', 'YAML: which pods are ambient', envOnly),
  ztunnelUdsAddress: text('ztunnel-uds-address', '/var/run/ztunnel/ztunnel.sock', 'socket for ztunnel'),
  ambientDnsCapture: bool('ambient-dns-capture', false, 'capture DNS of ambient pods', envOnly),
  ambientIpv6: bool('ambient-ipv6', false, 'IPv6 rules of ambient pods', envOnly),
  ambientDisableSafeUpgrade: bool('ambient-disable-safe-upgrade', false, 'clean up at every stop', envOnly),
  ambientReconcilePodRulesOnStartup: bool(
    'ambient-reconcile-pod-rules-on-startup',
    false,
    'take chains of other versions of Istio out of enrolled pods',
    envOnly,
  ),
  ambientEnableAwsBranchEniProbe: bool(
    'ambient-enable-aws-branch-eni-probe',
    true,
    'routes for probes of pods on branch interfaces of AWS',
    envOnly,
  ),
  allowSwitchToHostNs: bool(
    'allow-switch-to-host-ns',
    false,
    "the agent has a network of its own: the node's is that of /host/proc/1",
    envOnly,
  ),
  forceIptablesBinary: text('force-iptables-binary', '', 'legacy or nft; empty: what the node uses', envOnly),
  hostProbeSnatIp: text('host-probe-snat-ip', '169.254.7.127', 'source of kubelet probes', envOnly),
  hostProbeSnatIpv6: text(
    'host-probe-snat-ipv6',
    'fd16:9254:7127:1337:ffff:ffff:ffff:ffff',
    'the same for IPv6',
    envOnly,
  ),
  systemNamespace: text('system-namespace', 'istio-system', 'namespace of ztunnel', envOnly),
  nodeName: text('node-name', '', 'the same as KUBERNETES_NODE_NAME, where that is empty', envOnly),
  // Ambient mode on the node level, experimental
  ambientRedirectMode: text(
    'ambient-redirect-mode',
    '',
    'where traffic is redirected: inpod; experimental: node-iptables, node-ebpf',
    { ...envOnly, shown: 'inpod' },
  ),
  ebpfEnabled: bool('ebpf-enabled', false, 'another name of AMBIENT_REDIRECT_MODE=node-ebpf'),
  ambientTunnel: text('ambient-tunnel', 'geneve', 'node-iptables: the tunnels to ztunnel, geneve or vxlan', envOnly),
  ambientConfigFile: text(
    'ambient-config-file',
    '/etc/ambient-config/config.json',
    'node-iptables, node-ebpf: what plugins are told',
    envOnly,
  ),
  hostIp: text(
    'host-ip',
    '',
    "node-iptables, node-ebpf: this node's IPv4 address, where its Node cannot be read",
    envOnly,
  ),
  // Accepted for the sake of command lines that have them
  cniNetworkConfig: text('cni-network-config', '', 'without effect', unused),
  cniNetworkConfigFile: text('cni-network-config-file', '', 'without effect', unused),
  logLevel: text('log-level', '', 'without effect: see --log_output_level', unused),
  logStacktraceLevel: text('log_stacktrace_level', '', 'without effect', unused),
  logCaller: text('log_caller', '', 'without effect', unused),
  ctrlzPort: int('ctrlz_port', 9876, 'without effect: there is no such server', unused),
  ctrlzAddress: text('ctrlz_address', 'localhost', 'without effect', unused),
} as const satisfies Readonly<
  Record<string, Variable<string> | Variable<boolean> | Variable<boolean | undefined> | Variable<number>>
>

type Table = typeof variables

/** The value of every setting. */
export type Values = { readonly [K in keyof Table]: Table[K] extends Variable<infer T> ? T : never }
