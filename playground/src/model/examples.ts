import { defaultSettings, type Settings } from './settings.ts'

/** An example of the playground page: a pod's input and the expected answer. */
export interface Example {
  readonly id: string
  readonly title: string
  readonly text: string
  readonly settings?: Partial<Settings>
}

const pod = (annotations: string, more = '', name = 'web') => `apiVersion: v1
kind: Pod
metadata:
  name: ${name}
  namespace: shop
  annotations:
    sidecar.istio.io/status: '{"revision":"default"}'
${annotations}spec:
${more}  containers:
    - name: app
      image: registry.example.org/shop/web:1
    - name: istio-proxy
      args: [proxy, sidecar]
      securityContext:
        runAsUser: 1337
        runAsGroup: 1337
status:
  podIPs:
    - ip: 10.244.1.5
`

/** Examples that a user can choose on the playground page. Tests and documentation link to them by `#example=ID`. */
export const examples: readonly Example[] = [
  { id: 'sidecar', title: 'A pod with a sidecar', text: pod('') },
  {
    id: 'excluded-port',
    title: 'An excluded port is not captured',
    text: pod("    traffic.sidecar.istio.io/excludeOutboundPorts: '3306,5432'\n"),
    settings: { packet: 'tcp 10.96.0.30:3306 uid 1000' },
  },
  {
    id: 'included-ranges',
    title: 'Only some addresses are captured',
    text: pod('    traffic.sidecar.istio.io/includeOutboundIPRanges: 10.96.0.0/12\n'),
    settings: { packet: 'tcp 203.0.113.10:443 uid 1000' },
  },
  {
    id: 'not-injected',
    title: 'A pod that was never injected',
    text: `apiVersion: v1
kind: Pod
metadata:
  name: web
  namespace: shop
spec:
  containers:
    - name: app
      image: registry.example.org/shop/web:1
`,
  },
  { id: 'host-network', title: 'A pod on the host network', text: pod('', '  hostNetwork: true\n') },
  {
    id: 'bad-annotation',
    title: 'An annotation with a mistake',
    text: pod("    traffic.sidecar.istio.io/excludeInboundPorts: '8080;9090'\n"),
  },
  {
    id: 'runs-as-1337',
    title: 'An application that runs as the proxy’s user',
    text: pod(''),
    settings: { packet: 'tcp 10.96.0.20:80 uid 1337' },
  },
  {
    id: 'tproxy',
    title: 'TPROXY keeps the client’s address',
    text: pod('    sidecar.istio.io/interceptionMode: TPROXY\n'),
    settings: { packet: 'tcp 10.244.1.5:8080 from 10.244.2.7:40000 in eth0' },
  },
  {
    id: 'dns',
    title: 'DNS capture',
    text: pod(''),
    settings: { dns: 'on', packet: 'udp 10.96.0.10:53 uid 1000' },
  },
  {
    id: 'ambient',
    title: 'A pod in an ambient mesh',
    text: `apiVersion: v1
kind: Pod
metadata:
  name: web
  namespace: shop
spec:
  containers:
    - name: app
      image: registry.example.org/shop/web:1
status:
  podIPs:
    - ip: 10.244.1.5
`,
    settings: { mode: 'ambient', packet: 'tcp 10.244.1.5:8080 from 10.244.2.7:40000 in eth0' },
  },
]

/** Settings of an example. Settings that the example does not name have their defaults. */
export const settingsOf = ({ settings }: Example): Settings => ({ ...defaultSettings, ...settings })

/** Example rules that the page's tab for pasted rules shows at first. */
export const rulesExample = `# iptables-save of a node: somebody added a rule in front of Istio's
*nat
:PREROUTING ACCEPT [0:0]
:INPUT ACCEPT [0:0]
:OUTPUT ACCEPT [0:0]
:POSTROUTING ACCEPT [0:0]
:ISTIO_OUTPUT - [0:0]
:ISTIO_REDIRECT - [0:0]
-A OUTPUT -d 10.96.0.0/12 -p tcp -m tcp --dport 80 -j ACCEPT
-A OUTPUT -j ISTIO_OUTPUT
-A ISTIO_OUTPUT -o lo -s 127.0.0.6/32 -j RETURN
-A ISTIO_OUTPUT -m owner --uid-owner 1337 -j RETURN
-A ISTIO_OUTPUT -d 127.0.0.1/32 -j RETURN
-A ISTIO_OUTPUT -j ISTIO_REDIRECT
-A ISTIO_REDIRECT -p tcp -j REDIRECT --to-ports 15001
COMMIT
`

/** Example files that the page's tab for CNI network folders shows at first. */
export const folderExample = `==> /etc/cni/net.d/05-leftover.conflist <==
{ "name": "old", "plugins": [

==> /etc/cni/net.d/10-calico.conflist <==
{
  "name": "k8s-pod-network",
  "cniVersion": "0.3.1",
  "plugins": [
    { "type": "calico", "ipam": { "type": "calico-ipam" } },
    { "type": "portmap", "capabilities": { "portMappings": true } }
  ]
}

==> /etc/cni/net.d/99-loopback.conf <==
{ "cniVersion": "0.3.1", "name": "lo", "type": "loopback" }
`
