import { boolFlag, type Flag, textFlag } from '@cni/host/cli'
import { goDuration, goUint16 } from '../go-values.ts'

/** The flags of `istio-iptables`, with those of its older versions and of the program around it that are passed along. */
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
    help: 'users whose traffic is the proxy’s own and is not captured; without it the user that ENVOY_USER names (istio-proxy), else 1337',
  }),
  proxyGID: textFlag({
    name: 'proxy-gid',
    short: 'g',
    value: 'IDS',
    help: 'groups whose traffic is the proxy’s own; without it the same as --proxy-uid',
  }),
  mode: textFlag({
    name: 'istio-inbound-interception-mode',
    short: 'm',
    value: 'MODE',
    help: 'TPROXY keeps the client’s address visible to the proxy; anything else is REDIRECT',
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
    help: 'inbound ports not to capture; counts when all are captured',
  }),
  excludeInterfaces: textFlag({
    name: 'istio-exclude-interfaces',
    short: 'c',
    value: 'NAMES',
    help: 'interfaces whose traffic is left alone, in both directions',
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
    help: 'outbound ports to capture whatever the destination, unless that is excluded',
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
    help: 'interfaces of virtual machines: what comes in there is treated as outbound',
  }),
  dryRun: boolFlag({
    name: 'dry-run',
    short: 'n',
    help: 'print what would be done and do nothing; with DRY_RUN_FILE_PATH the input of the programs goes to that file',
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
    help: 'how long --run-validation waits for its connection',
  },
  skipRuleApply: boolFlag({ name: 'skip-rule-apply', help: 'write no rules; of use with --run-validation' }),
  runValidation: boolFlag({
    name: 'run-validation',
    help: 'afterwards, check with a connection of our own that traffic is redirected; exit code 126 when it is not',
  }),
  redirectDns: boolFlag({
    name: 'redirect-dns',
    help: 'DNS queries to the resolvers of /etc/resolv.conf go to the agent',
  }),
  dropInvalid: boolFlag({ name: 'drop-invalid', help: 'drop packets that connection tracking cannot place' }),
  dualStack: boolFlag({ name: 'dual-stack', help: 'capture IPv6 as well where there are addresses of both families' }),
  captureAllDns: boolFlag({ name: 'capture-all-dns', help: 'with --redirect-dns, queries to any resolver' }),
  networkNamespace: textFlag({
    name: 'network-namespace',
    value: 'PATH',
    help: 'network namespace to work in; without it, the one we are in',
  }),
  cniMode: boolFlag({
    name: 'cni-mode',
    help: 'accepted; the programs of the node are shielded in any other namespace',
  }),
  reconcile: boolFlag({ name: 'reconcile', help: 'correct rules that differ, instead of failing' }),
  cleanupOnly: boolFlag({ name: 'cleanup-only', help: 'remove rules, addresses and routes, and write none' }),
  forceApply: boolFlag({
    name: 'force-apply',
    help: 'write even when the rules are there; that fails unless they are new',
  }),
  nativeNftables: boolFlag({
    name: 'native-nftables',
    help: 'write tables of nftables instead of the rules of iptables; no program is needed',
  }),
  forceIptablesBinary: textFlag({
    name: 'force-iptables-binary',
    value: 'legacy|nft',
    help: 'the back end to write to; without it, the one in use',
  }),
  restoreFormat: {
    ...boolFlag({
      name: 'restore-format',
      short: 'f',
      help: 'what --dry-run prints: input of iptables-restore, which is the default, or with =false one command a line',
    }),
    fallback: true,
  },
  json: boolFlag({ name: 'json', help: 'print one JSON document about what was done; messages go to stderr' }),
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
    help: 'of Istio 1.19: counts for the name of a back end in it, (legacy) or (nf_tables)',
  }),
  traceLogging: boolFlag({ name: 'iptables-trace-logging', help: 'of Istio 1.19: accepted, without effect' }),
  logCaller: textFlag({ name: 'log_caller', value: 'SCOPES', help: 'accepted, without effect' }),
  logStacktraceLevel: textFlag({ name: 'log_stacktrace_level', value: 'LEVELS', help: 'accepted, without effect' }),
  logTarget: textFlag({ name: 'log_target', value: 'TARGETS', help: 'accepted, without effect' }),
} satisfies Record<string, Flag<string> | Flag<boolean> | Flag<number>>

/** The variables that are read besides the one named like the flag; the later one wins. */
const more: Readonly<Record<string, string>> = {
  'redirect-dns': 'ISTIO_META_DNS_CAPTURE',
  'drop-invalid': 'INVALID_DROP',
  'dual-stack': 'ISTIO_DUAL_STACK',
}

const withoutVariable = new Set([
  ...['envoy-port', 'restore-format', 'json', 'log_output_level', 'log_as_json', 'iptables-version'],
  ...['iptables-trace-logging', 'log_caller', 'log_stacktrace_level', 'log_target'],
])

/** The variables that stand in for a flag, in the order in which they are read. */
export function variablesOf({ name }: Pick<Flag<unknown>, 'name'>): readonly string[] {
  if (withoutVariable.has(name)) return []
  const other = more[name]
  return [name.toUpperCase().replaceAll('-', '_'), ...(other === undefined ? [] : [other])]
}
