import { bool, boolOrUnset, int, text, type Variable } from './variable.ts'

const envOnly = { envOnly: true } as const
const unused = { unused: true } as const

/**
 * Table of all settings of the agent. The flags, environment variables, help and documentation are generated from this
 * table.
 */
export const variables = {
  // Settings: installed files and their folders.
  cniConfName: text('cni-conf-name', '', "the primary network's file; empty: the first valid one"),
  chainedCniPlugin: bool('chained-cni-plugin', true, 'add the plugin to the primary conflist; false: to its own file'),
  istioOwnedCniConfig: bool(
    'istio-owned-cni-config',
    false,
    'with ambient: add the plugin to a copy of the conflist that sorts first',
  ),
  istioOwnedCniConfigFilename: text('istio-owned-cni-config-filename', '', 'file name of the copy', {
    env: ['ISTIO_OWNED_CNI_CONFIG_FILENAME', 'ISTIO_OWNED_CNI_CONF_FILENAME'],
    shown: '02-istio-cni.conflist',
  }),
  pinCniConf: bool('pin-cni-conf', false, 'stay in the first primary conflist, even if a new file sorts before it'),
  mountedCniNetDir: text('mounted-cni-net-dir', '/host/etc/cni/net.d', 'folder of network configurations'),
  mountedCniBinDirs: text('mounted-cni-bin-dirs', '/host/opt/cni/bin', 'folders for the binaries, separated by comma'),
  cniNetDir: text('cni-net-dir', '', 'path of MOUNTED_CNI_NET_DIR on the node; empty: the same without /host'),
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
  kubeconfigMode: int('kubeconfig-mode', 0o600, 'mode of the kubeconfig; 0600 is octal, 600 is decimal', {
    shown: '0600',
  }),
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
    "service account of the plugin, in the agent's namespace; empty: the plugin uses the agent's token",
  ),
  kubernetesServiceHost: text('kubernetes-service-host', '', 'address of the API server', envOnly),
  kubernetesServicePort: text('kubernetes-service-port', '', 'port of the API server', envOnly),
  kubernetesServiceProtocol: text('kubernetes-service-protocol', 'https', 'protocol of the API server', envOnly),
  kubernetesNodeName: text('kubernetes-node-name', '', 'name of this node, for the log and the watch of pods', envOnly),
  // Settings: configuration of the plugin.
  excludeNamespaces: text(
    'exclude-namespaces',
    '',
    'namespaces whose pods the plugin skips, separated by comma',
    envOnly,
  ),
  podNamespace: text('pod-namespace', '', "the agent's own namespace", envOnly),
  podName: text('pod-name', '', "name of the agent's own pod, for events", envOnly),
  podUid: text('pod-uid', '', "UID of the agent's own pod", envOnly),
  nativeNftables: bool('native-nftables', false, 'write nftables rules instead of iptables rules', envOnly),
  checkMode: text('check-mode', '', 'verify, or none: CHECK is a no-op; empty: default of the plugin (verify)'),
  podAnnotationsCapability: bool(
    'pod-annotations-capability',
    true,
    'ask containerd for pod annotations, so that pods outside the mesh need no API request',
  ),
  servePlugin: bool('serve-plugin', true, 'decide ADDs for the plugin, so that it needs no request to the API server'),
  criSocket: text(
    'cri-socket',
    '',
    'CRI socket of the container runtime, to ask for its loaded networks; empty: do not ask',
  ),
  // Settings: log, health and metrics.
  logOutputLevel: text(
    'log_output_level',
    'default:info',
    'levels as scope:level,…; scopes: all, default, cni-agent, cni-plugin',
  ),
  logAsJson: boolOrUnset('log_as_json', 'true, at a terminal false', 'one JSON object per line'),
  logTarget: text('log_target', 'stdout', 'stdout, stderr or files, separated by comma'),
  healthPort: int('health-port', 8000, 'port of /healthz and /readyz; 0: any free port, which the log names'),
  monitoringPort: int('monitoring-port', 15014, 'port of /metrics; 0 or less: none'),
  // Repair
  repairEnabled: bool('repair-enabled', true, 'repair pods that started without the plugin'),
  repairRepairPods: bool('repair-repair-pods', false, 'repair: write the rules into the running pod', envOnly),
  repairDeletePods: bool('repair-delete-pods', false, 'repair: delete the pod'),
  repairLabelPods: bool('repair-label-pods', false, 'repair: label the pod'),
  repairBrokenPodLabelKey: text(
    'repair-broken-pod-label-key',
    'cni.istio.io/uninitialized',
    'repair: key of the label',
  ),
  repairBrokenPodLabelValue: text('repair-broken-pod-label-value', 'true', 'repair: value of the label'),
  repairNodeName: text('repair-node-name', '', 'repair: only pods of this node; empty: of all nodes'),
  repairSidecarAnnotation: text(
    'repair-sidecar-annotation',
    'sidecar.istio.io/status',
    'repair: only pods with this annotation',
  ),
  repairInitContainerName: text(
    'repair-init-container-name',
    'istio-validation',
    'repair: init container that detects missing rules',
  ),
  repairInitContainerTerminationMessage: text(
    'repair-init-container-termination-message',
    '',
    'repair: termination message of that init container; empty: any',
  ),
  repairInitContainerExitCode: int(
    'repair-init-container-exit-code',
    126,
    'repair: exit code of that init container; 0: any',
  ),
  repairLabelSelectors: text('repair-label-selectors', '', 'repair: label selector of pods'),
  repairFieldSelectors: text('repair-field-selectors', '', 'repair: field selector of pods'),
  // Settings: ambient mode.
  ambientEnabled: bool('ambient-enabled', false, 'enable ambient mode'),
  enableAmbientDetectionRetry: bool(
    'enable-ambient-detection-retry',
    false,
    'fail the ADD if the namespace of a pod cannot be looked up',
  ),
  ambientEnablementSelector: text(
    'ambient-enablement-selector',
    '',
    'YAML list of selectors for ambient pods',
    envOnly,
  ),
  ztunnelUdsAddress: text('ztunnel-uds-address', '/var/run/ztunnel/ztunnel.sock', 'socket for ztunnel'),
  ambientDnsCapture: bool('ambient-dns-capture', false, 'capture DNS of ambient pods', envOnly),
  ambientIpv6: bool('ambient-ipv6', false, 'write IPv6 rules for ambient pods', envOnly),
  ambientDisableSafeUpgrade: bool('ambient-disable-safe-upgrade', false, 'remove everything at every stop', envOnly),
  ambientReconcilePodRulesOnStartup: bool(
    'ambient-reconcile-pod-rules-on-startup',
    false,
    'remove chains of other versions of Istio from enrolled pods',
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
    'legacy or nft; empty: the back end in use on the node',
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
  nodeName: text('node-name', '', 'name of this node, if KUBERNETES_NODE_NAME is empty', envOnly),
  // Settings: node-level redirection of ambient mode, experimental.
  ambientRedirectMode: text(
    'ambient-redirect-mode',
    '',
    'place of redirection: inpod; experimental: node-iptables, node-ebpf',
    { ...envOnly, shown: 'inpod' },
  ),
  ebpfEnabled: bool('ebpf-enabled', false, 'another name of AMBIENT_REDIRECT_MODE=node-ebpf'),
  ambientTunnel: text(
    'ambient-tunnel',
    'geneve',
    'node-iptables: type of the tunnels to ztunnel, geneve or vxlan',
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
    "node-iptables, node-ebpf: this node's IPv4 address, if its Node object cannot be read",
    envOnly,
  ),
  // Settings: flags of Istio's agent that this agent accepts and ignores.
  cniNetworkConfig: text('cni-network-config', '', 'without effect', unused),
  cniNetworkConfigFile: text('cni-network-config-file', '', 'without effect', unused),
  logLevel: text('log-level', '', 'without effect: see --log_output_level', unused),
  logStacktraceLevel: text('log_stacktrace_level', '', 'without effect', unused),
  logCaller: text('log_caller', '', 'without effect', unused),
  ctrlzPort: int('ctrlz_port', 9876, 'without effect: the agent has no such server', unused),
  ctrlzAddress: text('ctrlz_address', 'localhost', 'without effect', unused),
} as const satisfies Readonly<
  Record<string, Variable<string> | Variable<boolean> | Variable<boolean | undefined> | Variable<number>>
>

type Table = typeof variables

/** Values of all settings of the agent, with the same keys as the table of settings. */
export type Values = { readonly [K in keyof Table]: Table[K] extends Variable<infer T> ? T : never }
