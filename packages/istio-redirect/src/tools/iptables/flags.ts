import { boolFlag, type Flag, textFlag } from '@cni/host/cli'
import { goDuration, goUint16 } from '../go-values.ts'

/** Flags of Istio's `istio-iptables`, including flags of its older versions and Istio's log flags. */
export const iptablesFlags = {
  proxyPort: textFlag({
    name: 'envoy-port',
    short: 'p',
    fallback: '15001',
    value: 'PORT',
    help: 'port on which the proxy takes outbound connections',
  }),
  inboundCapturePort: textFlag({
    name: 'inbound-capture-port',
    short: 'z',
    fallback: '15006',
    value: 'PORT',
    help: 'port on which the proxy takes inbound connections',
  }),
  inboundTunnelPort: textFlag({
    name: 'inbound-tunnel-port',
    short: 'e',
    fallback: '15008',
    value: 'PORT',
    help: 'port of tunnelled inbound connections; these reach the proxy without being redirected',
  }),
  proxyUID: textFlag({
    name: 'proxy-uid',
    short: 'u',
    value: 'IDS',
    help: 'users of the proxy, whose traffic is not captured; default: the user that ENVOY_USER names (istio-proxy), else 1337',
  }),
  proxyGID: textFlag({
    name: 'proxy-gid',
    short: 'g',
    value: 'IDS',
    help: 'groups of the proxy, whose traffic is not captured; default: as --proxy-uid',
  }),
  mode: textFlag({
    name: 'istio-inbound-interception-mode',
    short: 'm',
    value: 'MODE',
    help: 'TPROXY keeps the client’s address visible to the proxy; any other value means REDIRECT',
  }),
  tproxyMark: textFlag({
    name: 'istio-inbound-tproxy-mark',
    short: 't',
    fallback: '1337',
    value: 'MARK',
    help: 'with TPROXY, the mark of packets that are delivered to the proxy',
  }),
  tproxyRouteTable: textFlag({
    name: 'istio-inbound-tproxy-route-table',
    short: 'r',
    fallback: '133',
    value: 'TABLE',
    help: 'with TPROXY, the routing table for packets with the mark',
  }),
  includeInboundPorts: textFlag({
    name: 'istio-inbound-ports',
    short: 'b',
    value: 'PORTS',
    help: 'inbound ports to capture: a list, * for all, empty for none',
  }),
  excludeInboundPorts: textFlag({
    name: 'istio-local-exclude-ports',
    short: 'd',
    value: 'PORTS',
    help: 'inbound ports not to capture; only used if all ports are captured',
  }),
  excludeInterfaces: textFlag({
    name: 'istio-exclude-interfaces',
    short: 'c',
    value: 'NAMES',
    help: 'interfaces whose traffic is not captured, in both directions',
  }),
  includeOutboundIPRanges: textFlag({
    name: 'istio-service-cidr',
    short: 'i',
    value: 'RANGES',
    help: 'destinations to capture: a list such as 10.0.0.0/8,fd00::/8, * for all, empty for none',
  }),
  excludeOutboundIPRanges: textFlag({
    name: 'istio-service-exclude-cidr',
    short: 'x',
    value: 'RANGES',
    help: 'destinations not to capture',
  }),
  includeOutboundPorts: textFlag({
    name: 'istio-outbound-ports',
    short: 'q',
    value: 'PORTS',
    help: 'outbound ports to capture for all destinations that are not excluded',
  }),
  excludeOutboundPorts: textFlag({
    name: 'istio-local-outbound-ports-exclude',
    short: 'o',
    value: 'PORTS',
    help: 'outbound ports not to capture',
  }),
  rerouteVirtualInterfaces: textFlag({
    name: 'kube-virt-interfaces',
    short: 'k',
    value: 'NAMES',
    help: 'interfaces of virtual machines: their packets are treated as outbound traffic',
  }),
  dryRun: boolFlag({
    name: 'dry-run',
    short: 'n',
    help: 'print the changes without making them; with DRY_RUN_FILE_PATH, write the input of the programs to that file',
  }),
  probePort: {
    name: 'iptables-probe-port',
    fallback: 15002,
    parse: goUint16,
    value: 'PORT',
    help: 'port that --run-validation connects to',
  },
  probeTimeout: {
    name: 'probe-timeout',
    fallback: 5000,
    shown: '5s',
    parse: goDuration,
    value: 'DURATION',
    help: 'time that --run-validation waits for its connection',
  },
  skipRuleApply: boolFlag({ name: 'skip-rule-apply', help: 'write no rules; useful with --run-validation' }),
  runValidation: boolFlag({
    name: 'run-validation',
    help: 'check with a test connection that traffic is redirected; exit code 126 if it is not',
  }),
  redirectDns: boolFlag({
    name: 'redirect-dns',
    help: 'redirect DNS queries to the resolvers of /etc/resolv.conf to the agent',
  }),
  dropInvalid: boolFlag({ name: 'drop-invalid', help: 'drop packets that connection tracking considers invalid' }),
  dualStack: boolFlag({ name: 'dual-stack', help: 'capture IPv6 as well if there are addresses of both families' }),
  captureAllDns: boolFlag({ name: 'capture-all-dns', help: 'with --redirect-dns, redirect queries to all resolvers' }),
  networkNamespace: textFlag({
    name: 'network-namespace',
    value: 'PATH',
    help: 'network namespace to change; default: the current one',
  }),
  cniMode: boolFlag({
    name: 'cni-mode',
    help: 'accepted without effect: in another namespace, programs never use the node’s nsswitch.conf',
  }),
  reconcile: boolFlag({ name: 'reconcile', help: 'correct existing rules that differ, instead of failing' }),
  cleanupOnly: boolFlag({ name: 'cleanup-only', help: 'remove rules, addresses and routes, and write none' }),
  forceApply: boolFlag({
    name: 'force-apply',
    help: 'write the rules even if they exist; fails if a chain exists',
  }),
  nativeNftables: boolFlag({
    name: 'native-nftables',
    help: 'write tables of nftables instead of the rules of iptables; no program is needed',
  }),
  forceIptablesBinary: textFlag({
    name: 'force-iptables-binary',
    value: 'legacy|nft',
    help: 'iptables back end; default: the one in use',
  }),
  restoreFormat: {
    ...boolFlag({
      name: 'restore-format',
      short: 'f',
      help: 'output of --dry-run: input of iptables-restore (default), or with =false one command a line',
    }),
    fallback: true,
  },
  json: boolFlag({ name: 'json', help: 'print one JSON document about the result; messages go to stderr' }),
  logLevel: textFlag({
    name: 'log_output_level',
    value: 'LEVEL',
    fallback: 'info',
    help: 'none, error, warn, info or debug, alone or as default:LEVEL',
  }),
  logAsJson: boolFlag({ name: 'log_as_json', help: 'messages as JSON lines' }),
  iptablesVersion: textFlag({
    name: 'iptables-version',
    value: 'VERSION',
    help: 'of Istio 1.19: selects the back end that it names, (legacy) or (nf_tables)',
  }),
  traceLogging: boolFlag({ name: 'iptables-trace-logging', help: 'of Istio 1.19: accepted, without effect' }),
  logCaller: textFlag({ name: 'log_caller', value: 'SCOPES', help: 'accepted, without effect' }),
  logStacktraceLevel: textFlag({ name: 'log_stacktrace_level', value: 'LEVELS', help: 'accepted, without effect' }),
  logTarget: textFlag({ name: 'log_target', value: 'TARGETS', help: 'accepted, without effect' }),
} satisfies Record<string, Flag<string> | Flag<boolean> | Flag<number>>

/** Second environment variable of a flag, by flag name. It overrides the variable with the flag's own name. */
const more: Readonly<Record<string, string>> = {
  'redirect-dns': 'ISTIO_META_DNS_CAPTURE',
  'drop-invalid': 'INVALID_DROP',
  'dual-stack': 'ISTIO_DUAL_STACK',
}

const withoutVariable = new Set([
  ...['envoy-port', 'restore-format', 'json', 'log_output_level', 'log_as_json', 'iptables-version'],
  ...['iptables-trace-logging', 'log_caller', 'log_stacktrace_level', 'log_target'],
])

/** Lists the environment variables that set a flag, in the order in which they are read. The last one wins. */
export function variablesOf({ name }: Pick<Flag<unknown>, 'name'>): readonly string[] {
  if (withoutVariable.has(name)) return []
  const other = more[name]
  return [name.toUpperCase().replaceAll('-', '_'), ...(other === undefined ? [] : [other])]
}
