import { parseArgs } from 'node:util'

/** Redirect modes of node-level redirection: the agent redirects traffic on the node, not in pods. */
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

Redirects a real pod's traffic with the compiled istio-cni plugin, on a temporary node
(network and mount namespace), and prints each step.

Options:
  --json         print progress on stderr, and one JSON object with all facts on stdout
  --keep         stop before DEL and keep the namespaces
  --clean        remove the namespaces that --keep left
  --without-iptables
                 remove iptables, ip6tables, nft and nsenter from the node first, because
                 the plugin needs none of them. Does not install the package iptables
  --ambient      demo of ambient mode: a pod joins the mesh and leaves it while connections
                 are open, and a new ztunnel replaces the old one
  --ambient=node-iptables
                 the same with redirection on the node by iptables, as in Istio 1.19
  --ambient=node-ebpf
                 the same with redirection on the node by eBPF programs on the pods' links
  --no-install   do not install Debian packages; name the missing ones
  -h, --help     print this

Exit codes: 0 everything was as expected, 1 a step was not, 2 wrong usage.`

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
