import { boolFlag, textFlag } from '@cni/host/cli'

/** The flags by which every command that looks at a pod is told about it. */
export const podFlags = {
  pod: textFlag({
    name: 'pod',
    value: 'FILE',
    help: 'a pod, YAML or JSON, also a list or several documents; - is stdin',
  }),
  name: textFlag({ name: 'name', value: 'NAME', help: 'which pod of the file: NAME or NAMESPACE/NAME' }),
  netconf: textFlag({
    name: 'netconf',
    value: 'FILE',
    help: 'the plugin’s configuration, alone or in its list: for excluded namespaces and the like',
  }),
  address: textFlag({
    name: 'address',
    value: 'IPS',
    help: 'addresses of the pod; without it those of its status, and else none but what the pod asks for decides',
  }),
}

/** What a plugin with `native_nftables` writes. */
export const nativeFlag = boolFlag({
  name: 'native-nftables',
  help: 'the tables of nftables that native_nftables makes, instead of the rules of iptables',
})
