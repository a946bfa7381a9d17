import { flagsText, heading } from '@cni/host/cli'
import { iptablesFlags, variablesOf } from './flags.ts'

/** The help of `istio-redirect iptables`. */
export function iptablesHelp(colour: boolean): string {
  return `${heading('Usage:', colour)} istio-redirect iptables [flags]

Write the iptables rules that send this machine's traffic through an Istio proxy. A drop-in for istio-iptables, as
init container and on virtual machines: the same flags, variables, rules and exit codes.

A flag wins over its variable, that over the default. Lists are separated by commas.

${heading('Flags:', colour)}
${flagsText(iptablesFlags, { variable: (flag) => variablesOf(flag).join(', ') })}
${heading('Variables without a flag:', colour)}
  ENVOY_USER                            user whose id is the default of --proxy-uid
  ISTIO_OUTBOUND_OWNER_GROUPS           groups whose outbound traffic is captured; default *
  ISTIO_OUTBOUND_OWNER_GROUPS_EXCLUDE   groups whose outbound traffic is not captured
  ISTIO_OUTBOUND_IPV4_LOOPBACK_CIDR     the IPv4 range that counts as loopback; default 127.0.0.1/32
  DRY_RUN_FILE_PATH                     with --dry-run, the file for what programs would get

${heading('Exit codes:', colour)} 0 done, 1 failed or wrong usage (then nothing was changed), 126 --run-validation found no redirection.
`
}
