import { parseArgs } from 'node:util'

/** Redirect modes of ambient mode in which the agent redirects on the node, not in pods. */
export type NodeMode = 'node-iptables' | 'node-ebpf'

export interface DemoOptions {
  json: boolean
  keep: boolean
  clean: boolean
  withoutIptables: boolean
  /** Ambient mode that the demo shows. `undefined` selects the demo with a sidecar. */
  ambient: 'inpod' | NodeMode | undefined
  help: boolean
}

export const HELP = `Usage: npm run demo [-- OPTIONS]

Redirect a real pod's traffic with the compiled istio-cni plugin, in a throw-away node
(network and mount namespace), and tell what happened.

Options:
  --json         progress on stderr, one JSON object with all facts on stdout
  --keep         stop before DEL and leave the namespaces for exploring
  --clean        remove what --keep left
  --without-iptables
                 take iptables, ip6tables, nft and nsenter away from the node first:
                 nothing needs them. Debian's package iptables is not asked for
  --ambient      another story: a pod joins an ambient mesh and leaves it while connections
                 are open, and one ztunnel takes over from another
  --ambient=node-iptables
                 the same, redirected on the node, as Istio 1.19 did
  --ambient=node-ebpf
                 the same by programs of eBPF on the links of pods
  --no-install   do not install Debian packages; say what is missing
  -h, --help     print this

Exit codes: 0 everything was as expected, 1 something was not, 2 wrong usage.`

/**
 * Parses the command-line options of the demo.
 *
 * @throws TypeError for an unknown option or mode
 */
export function parseOptions(argv: readonly string[]): DemoOptions {
  const { values } = parseArgs({
    args: argv.map((one) => (one === '--ambient' ? '--ambient=inpod' : one)),
    options: {
      json: { type: 'boolean' },
      keep: { type: 'boolean' },
      clean: { type: 'boolean' },
      'without-iptables': { type: 'boolean' },
      ambient: { type: 'string' },
      'no-install': { type: 'boolean' },
      help: { type: 'boolean', short: 'h' },
    },
  })
  return {
    json: values.json ?? false,
    keep: values.keep ?? false,
    clean: values.clean ?? false,
    withoutIptables: values['without-iptables'] ?? false,
    ambient: ambientOf(values.ambient),
    help: values.help ?? false,
  }
}

function ambientOf(given: string | undefined): DemoOptions['ambient'] {
  if (given === undefined || given === 'inpod' || given === 'node-iptables' || given === 'node-ebpf') return given
  const message = `--ambient=${given}: expected inpod, node-iptables or node-ebpf`
  throw Object.assign(new TypeError(message), { code: 'ERR_PARSE_ARGS_INVALID_OPTION_VALUE' })
}
