/**
 * Import rules between packages and folders. check-imports.ts enforces them, and the maps in CONTRIBUTING.md and
 * docs/architecture.md show them.
 */

/** Allowed imports between our packages. Examples and `istio-redirect` may import any public entry. */
export const allowed: Readonly<Record<string, readonly RegExp[]>> = {
  types: [],
  host: [],
  netns: [/^@cni\/types(\/|$)/, /^@cni\/host(\/|$)/],
  skel: [/^@cni\/types(\/|$)/, /^@cni\/host(\/|$)/, /^@cni\/netns\/(handle|sys|unix)$/],
  invoke: [/^@cni\/(types|host)(\/|$)/],
  installer: [/^@cni\/(types|host)(\/|$)/, /^@cni\/netns\/sys$/, /^@cni\/skel$/],
  nftables: [/^@cni\/(types|host|netns)(\/|$)/],
  ebpf: [/^@cni\/(types|netns)(\/|$)/],
  ipset: [/^@cni\/(types|host|netns)(\/|$)/],
  iptables: [/^@cni\/(types|host|netns)(\/|$)/, /^@cni\/nftables\/(fresh|wire)$/],
  libcni: [/^@cni\/(types|host|invoke)(\/|$)/],
  conformance: [/^@cni\/(types|host|invoke|libcni|netns|iptables)(\/|$)/, /^@cni\/nftables\/wire$/],
  'create-cni-plugin': [/^@cni\/(types|host)(\/|$)/],
  runtime: [],
  'runtime-linux-arm64': [],
  'runtime-linux-x64': [],
  'cni-build': [/^@cni\/host(\/|$)/, /^@cni\/netns\/sys$/],
  kube: [/^@cni\/(types|host|netns)(\/|$)/],
  'istio-rules': [/^@cni\/(types|iptables|nftables)(\/|$)/],
  'istio-node-level': [/^@cni\/(types|host|netns|iptables|nftables|ipset|ebpf|istio-rules)(\/|$)/],
  'istio-redirect': [/^@cni\/(?!istio-redirect)/],
}

/** Short description of each package, for the maps of packages in the docs. */
export const subjects: Readonly<Record<string, string>> = {
  types: 'wire formats: versions, configurations, results and their conversions, errors',
  host: 'run a program with a deadline, read and write files with care',
  netns: 'open, create, enter network namespaces; system calls, netlink, rtnetlink, unix sockets with descriptors',
  skel: '`definePlugin` → `runPlugin` → `pluginMain`; state of attachments',
  invoke: 'find and execute plugins, delegation',
  installer: 'keep a plugin installed on a node',
  nftables: 'nf_tables over netlink: batches, expressions, dumps, events',
  ebpf: 'eBPF maps, pins, programs on links',
  ipset: 'sets of addresses, networks and ports',
  iptables: 'typed rulesets: print, apply, verify, remove, trace',
  libcni: 'the runtime side: conflists, chains, cache; `cnitool`',
  conformance: 'checks of any plugin binary against the specification; `cni-conformance`',
  'create-cni-plugin': "`npm create cni-plugin`: a new plugin's project, from the files in `template`",
  runtime: 'the small runtime: QuickJS, musl and a heap snapshot in one static file',
  'runtime-linux-arm64': 'native programs of the small runtime for arm64',
  'runtime-linux-x64': 'native programs of the small runtime for x64',
  'cni-build': 'one executable from one entry; `cni-build`',
  kube: 'Kubernetes client: get, list and watch, kubeconfig; an API server for tests',
  'istio-rules': 'pod → decision → capture → rules of both back ends; pure',
  'istio-node-level': 'ambient mode on the node: tunnels, marks, eBPF programs and their assembler; experimental',
  'istio-redirect': 'the reference plugin: `istio-cni`, `install-cni`, `istio-redirect`',
}

/** Short description of each folder of a package, for the maps in the docs. */
export const folderSubjects: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  'istio-redirect': {
    conf: 'configuration of the plugin and its defaults',
    log: 'log lines: the file, the socket of the agent',
    state: 'records of attachments',
    decide: 'pod → skip, redirect or ambient; the same for agent and plugin',
    explain: 'explanation of a decision for people, from the text of a pod: pure',
    serve: 'messages between plugin and agent about an ADD',
    namespace: "changes in a pod's namespace: addresses, routes, rules",
    plugin: '`istio-cni`: verbs',
    zds: 'messages between agent and ztunnel',
    agent: '`install-cni`: pods, repair, serving, ambient',
    tools: '`istio-redirect`: rules and traces from a command line',
    testing: 'pods, the agent for a plugin, stand-ins of proxy and ztunnel',
  },
  'istio-redirect/src/agent': {
    shared: 'shared by all services: log, metrics, state of the API server',
    config: 'variables, flags, files → configuration',
    log: 'log lines of the agent',
    proc: 'namespaces of pods, found in /proc',
    pods: 'one watch of pods for all services',
    'on-cluster': "the agent's own DaemonSet, node and tokens",
    server: 'bounded servers on sockets and ports',
    serve: 'health, metrics, logs, decisions for the plugin',
    repair: 'repair of pods that started without the plugin',
    ambient: 'ambient mode: enrolment of pods, rules, ztunnel',
    services: 'start, change and stop of services by the configuration',
    commands: '`install-cni status`, `uninstall`, `--dry-run`',
  },
}
