import { bool, boolOrUnset, int, text, type Variable } from './variable.ts'

const envOnly = { envOnly: true } as const
const unused = { unused: true } as const

/** All settings of the agent. The flags, variables, help and documentation are generated from this table. */
export const variables = {
  // Installation
  cniConfName: text('cni-conf-name', '', 'file of the primary network; empty: the first valid file'),
  chainedCniPlugin: bool(
    'chained-cni-plugin',
    true,
    "add the plugin to the primary network's list; false: write a file of its own",
  ),
  istioOwnedCniConfig: bool(
    'istio-owned-cni-config',
    false,
    "ambient mode: add the plugin to a copy of the primary network's file that sorts first",
  ),
  istioOwnedCniConfigFilename: text('istio-owned-cni-config-filename', '', 'file name of that copy', {
    env: ['ISTIO_OWNED_CNI_CONFIG_FILENAME', 'ISTIO_OWNED_CNI_CONF_FILENAME'],
    shown: '02-istio-cni.conflist',
  }),
  pinCniConf: bool(
    'pin-cni-conf',
    false,
    'keep the first primary network found, even if another file sorts before it later',
  ),
  mountedCniNetDir: text('mounted-cni-net-dir', '/host/etc/cni/net.d', 'folder of network configurations'),
  mountedCniBinDirs: text('mounted-cni-bin-dirs', '/host/opt/cni/bin', 'folders for the binaries, separated by commas'),
  cniNetDir: text('cni-net-dir', '', 'path of MOUNTED_CNI_NET_DIR on the node; empty: that path without /host'),
  mountedCniCacheDir: text(
    'mounted-cni-cache-dir',
    '',
    'cache folder of container runtimes, read by uninstall; empty: /var/lib/cni, below /host if MOUNTED_CNI_NET_DIR is',
  ),
  cniCacheDir: text('cni-cache-dir', '', 'path of MOUNTED_CNI_CACHE_DIR on the node; empty: that path without /host'),
  cniBinSourceDir: text('cni-bin-source-dir', '/opt/cni/bin', 'folder whose files are copied to MOUNTED_CNI_BIN_DIRS'),
  cniAgentRunDir: text(
    'cni-agent-run-dir',
    '/var/run/istio-cni',
    'folder of sockets and kubeconfig, the same path on the node',
  ),
  cniConfGroupRead: bool(
    'cni-conf-group-read',
    false,
    "mode 0640 instead of 0600 for the plugin's own configuration file",
  ),
  // Kubeconfig
  kubeconfigMode: int('kubeconfig-mode', 0o600, 'mode of the kubeconfig: 0600 is octal, 600 is not', { shown: '0600' }),
  kubeCaFile: text('kube-ca-file', '', 'CA of the kubeconfig; empty: ca.crt of the service account'),
  skipTlsVerify: bool('skip-tls-verify', false, 'write a kubeconfig that trusts any server'),
  serviceAccountDir: text(
    'service-account-dir',
    '/var/run/secrets/kubernetes.io/serviceaccount',
    'folder with token and ca.crt of the service account',
  ),
  pluginServiceAccount: text(
    'plugin-service-account',
    '',
    "service account in the agent's namespace whose tokens the plugin gets; empty: the agent's own token",
  ),
  kubernetesServiceHost: text('kubernetes-service-host', '', 'host of the API server', envOnly),
  kubernetesServicePort: text('kubernetes-service-port', '', 'port of the API server', envOnly),
  kubernetesServiceProtocol: text('kubernetes-service-protocol', 'https', 'protocol of the API server', envOnly),
  kubernetesNodeName: text(
    'kubernetes-node-name',
    '',
    'name of this node, for the log and the watch of its pods',
    envOnly,
  ),
  // The plugin's configuration
  excludeNamespaces: text(
    'exclude-namespaces',
    '',
    'namespaces whose pods are not redirected, separated by commas',
    envOnly,
  ),
  podNamespace: text('pod-namespace', '', "namespace of the agent's pod", envOnly),
  podName: text('pod-name', '', "name of the agent's pod, the subject of its events", envOnly),
  podUid: text('pod-uid', '', "UID of the agent's pod", envOnly),
  nativeNftables: bool('native-nftables', false, 'write native nftables rules instead of iptables rules', envOnly),
  checkMode: text(
    'check-mode',
    '',
    'verify or none: whether CHECK verifies rules; empty: the default of the plugin (verify)',
  ),
  podAnnotationsCapability: bool(
    'pod-annotations-capability',
    true,
    'ask containerd for pod annotations, so that pods outside the mesh need no API request',
  ),
  servePlugin: bool('serve-plugin', true, 'answer calls of the plugin, so that it needs no API request'),
  criSocket: text(
    'cri-socket',
    '',
    'CRI socket of the container runtime, to query its loaded networks; empty: no queries',
  ),
  // Log, health, metrics
  logOutputLevel: text(
    'log_output_level',
    'default:info',
    'levels as scope:level,…; scopes: all, default, cni-agent, cni-plugin',
  ),
  logAsJson: boolOrUnset('log_as_json', 'true, at a terminal false', 'write each log line as a JSON object'),
  logTarget: text('log_target', 'stdout', 'targets of the log: stdout, stderr or files, separated by commas'),
  healthPort: int('health-port', 8000, 'port of /healthz and /readyz; 0: any free port, named in the log'),
  monitoringPort: int('monitoring-port', 15014, 'port of /metrics; 0 or less: no metrics'),
  // Repair
  repairEnabled: bool('repair-enabled', true, 'find pods that started without the plugin'),
  repairRepairPods: bool('repair-repair-pods', false, 'repair such pods: write their rules', envOnly),
  repairDeletePods: bool('repair-delete-pods', false, 'delete such pods'),
  repairLabelPods: bool('repair-label-pods', false, 'label such pods'),
  repairBrokenPodLabelKey: text('repair-broken-pod-label-key', 'cni.istio.io/uninitialized', 'key of that label'),
  repairBrokenPodLabelValue: text('repair-broken-pod-label-value', 'true', 'value of that label'),
  repairNodeName: text('repair-node-name', '', 'repair only pods of this node; empty: pods of all nodes'),
  repairSidecarAnnotation: text(
    'repair-sidecar-annotation',
    'sidecar.istio.io/status',
    'repair only pods with this annotation',
  ),
  repairInitContainerName: text(
    'repair-init-container-name',
    'istio-validation',
    'init container that detects missing rules',
  ),
  repairInitContainerTerminationMessage: text(
    'repair-init-container-termination-message',
    '',
    'termination message of that init container; empty: any',
  ),
  repairInitContainerExitCode: int('repair-init-container-exit-code', 126, 'exit code of that init container; 0: any'),
  repairLabelSelectors: text('repair-label-selectors', '', 'label selector of pods to repair'),
  repairFieldSelectors: text('repair-field-selectors', '', 'field selector of pods to repair'),
  // Ambient mode
  ambientEnabled: bool('ambient-enabled', false, 'enable ambient mode'),
  enableAmbientDetectionRetry: bool(
    'enable-ambient-detection-retry',
    false,
    'fail the ADD of a pod that cannot be looked up',
  ),
  ambientEnablementSelector: text('ambient-enablement-selector', '', 'selectors of ambient pods, as YAML', envOnly),
  ztunnelUdsAddress: text('ztunnel-uds-address', '/var/run/ztunnel/ztunnel.sock', 'socket for ztunnel'),
  ambientDnsCapture: bool('ambient-dns-capture', false, 'capture DNS of ambient pods', envOnly),
  ambientIpv6: bool('ambient-ipv6', false, 'write IPv6 rules in ambient pods', envOnly),
  ambientDisableSafeUpgrade: bool(
    'ambient-disable-safe-upgrade',
    false,
    'clean up at every stop, also before an upgrade',
    envOnly,
  ),
  ambientReconcilePodRulesOnStartup: bool(
    'ambient-reconcile-pod-rules-on-startup',
    false,
    'remove chains of other Istio versions from enrolled pods',
    envOnly,
  ),
  ambientEnableAwsBranchEniProbe: bool(
    'ambient-enable-aws-branch-eni-probe',
    true,
    'add routes for probes of pods on AWS branch interfaces',
    envOnly,
  ),
  allowSwitchToHostNs: bool(
    'allow-switch-to-host-ns',
    false,
    "the agent's pod has its own network; the node's network is found by /host/proc/1",
    envOnly,
  ),
  forceIptablesBinary: text(
    'force-iptables-binary',
    '',
    'variant of iptables: legacy or nft; empty: the variant that the node uses',
    envOnly,
  ),
  hostProbeSnatIp: text('host-probe-snat-ip', '169.254.7.127', 'source address of kubelet probes', envOnly),
  hostProbeSnatIpv6: text(
    'host-probe-snat-ipv6',
    'fd16:9254:7127:1337:ffff:ffff:ffff:ffff',
    'IPv6 source address of kubelet probes',
    envOnly,
  ),
  systemNamespace: text('system-namespace', 'istio-system', 'namespace of ztunnel', envOnly),
  nodeName: text('node-name', '', 'name of this node if KUBERNETES_NODE_NAME is empty', envOnly),
  // Ambient mode on the node level, experimental
  ambientRedirectMode: text(
    'ambient-redirect-mode',
    '',
    'where traffic is redirected: inpod; experimental: node-iptables, node-ebpf',
    { ...envOnly, shown: 'inpod' },
  ),
  ebpfEnabled: bool('ebpf-enabled', false, 'alias of AMBIENT_REDIRECT_MODE=node-ebpf'),
  ambientTunnel: text(
    'ambient-tunnel',
    'geneve',
    'node-iptables: kind of the tunnels to ztunnel, geneve or vxlan',
    envOnly,
  ),
  ambientConfigFile: text(
    'ambient-config-file',
    '/etc/ambient-config/config.json',
    'node-iptables, node-ebpf: file that plugins read',
    envOnly,
  ),
  hostIp: text(
    'host-ip',
    '',
    'node-iptables, node-ebpf: IPv4 address of this node if its Node object cannot be read',
    envOnly,
  ),
  // Accepted for compatibility with Istio's command lines
  cniNetworkConfig: text('cni-network-config', '', 'without effect', unused),
  cniNetworkConfigFile: text('cni-network-config-file', '', 'without effect', unused),
  logLevel: text('log-level', '', 'without effect: see --log_output_level', unused),
  logStacktraceLevel: text('log_stacktrace_level', '', 'without effect', unused),
  logCaller: text('log_caller', '', 'without effect', unused),
  ctrlzPort: int('ctrlz_port', 9876, 'without effect: there is no ControlZ server', unused),
  ctrlzAddress: text('ctrlz_address', 'localhost', 'without effect', unused),
} as const satisfies Readonly<
  Record<string, Variable<string> | Variable<boolean> | Variable<boolean | undefined> | Variable<number>>
>

type Table = typeof variables

/** Values of all settings. */
export type Values = { readonly [K in keyof Table]: Table[K] extends Variable<infer T> ? T : never }
