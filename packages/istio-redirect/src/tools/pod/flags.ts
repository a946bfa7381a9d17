import { boolFlag, textFlag } from '@cni/host/cli'

/** Command-line flags of every `istio-redirect` command that reads a pod. */
export const podFlags = {
  pod: textFlag({
    name: 'pod',
    value: 'FILE',
    help: 'file with a pod, in YAML or JSON; may be a list or several documents; - is stdin',
  }),
  name: textFlag({ name: 'name', value: 'NAME', help: 'pod of the file: NAME or NAMESPACE/NAME' }),
  netconf: textFlag({
    name: 'netconf',
    value: 'FILE',
    help: 'file with the plugin’s configuration, alone or in a conflist, for settings such as excluded namespaces',
  }),
  address: textFlag({
    name: 'address',
    value: 'IPS',
    help: 'addresses of the pod; default: those of its status, else IPv4, and IPv6 if the pod asks for both',
  }),
}

/** Command-line flag that selects the native nftables rules, which a plugin with `native_nftables` writes. */
export const nativeFlag = boolFlag({
  name: 'native-nftables',
  help: 'use the nftables rules of native_nftables instead of iptables rules',
})
