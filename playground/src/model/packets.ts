import { endpointText } from '@cni/types/packet'
import { EXAMPLE_ADDRESS } from './pod-input.ts'
import type { Settings } from './settings.ts'
import type { PodProxy } from './walk.ts'

/** A typical packet of a mesh pod, such as a request to a service, for the page's table. */
export interface TypicalPacket {
  readonly who: string
  readonly what: string
  /** Text of the packet, in the syntax of `istio-redirect trace --packet`. */
  readonly packet: string
}

/** The sidecar proxy of a pod, with descriptions of its ports for the page. */
export const sidecar = (uid: number | undefined): PodProxy => ({
  ...{ name: 'The proxy', uid, mark: undefined },
  ports: {
    15001: 'the proxy (outbound)',
    15006: 'the proxy (inbound)',
    15008: 'the proxy (HBONE tunnel)',
    15020: 'the agent (merged telemetry)',
    15021: 'the agent (readiness)',
    15053: 'the agent (DNS)',
    15090: 'the proxy (telemetry)',
  },
})

/** ztunnel in a pod: its packet mark, and the description that the page shows for each of its ports. */
export const ztunnel: PodProxy = {
  ...{ name: 'ztunnel', uid: undefined, mark: 0x539 },
  ports: {
    15001: 'ztunnel (outbound)',
    15006: 'ztunnel (inbound, plain text)',
    15008: 'ztunnel (HBONE)',
    15053: 'ztunnel (DNS)',
  },
}

const PEER = { ipv4: '10.244.2.7', ipv6: 'fd00:10:244:2::7' } as const
const SERVICE = { ipv4: '10.96.0.20', ipv6: 'fd00:10:96::20' } as const
const RESOLVER = { ipv4: '10.96.0.10', ipv6: 'fd00:10:96::a' } as const
const OUTSIDE = { ipv4: '203.0.113.10', ipv6: '2001:db8:1::10' } as const
const NODE = { ipv4: '192.168.1.4', ipv6: 'fd00:192:168:1::4' } as const
const LOOPBACK = { ipv4: '127.0.0.1', ipv6: '::1' } as const
const PASSTHROUGH = { ipv4: '127.0.0.6', ipv6: '::6' } as const
const PROBES = { ipv4: '169.254.7.127', ipv6: 'fd16:9254:7127:1337:ffff:ffff:ffff:ffff' } as const

/** Typical packets of a pod, in the IP family of the pod's first address. */
export function typicalPackets(
  addresses: readonly string[],
  { mode }: Pick<Settings, 'mode'>,
  proxyUid: number,
): readonly TypicalPacket[] {
  const family = addresses[0]?.includes(':') === true ? 'ipv6' : 'ipv4'
  const pod = addresses[0] ?? EXAMPLE_ADDRESS[family]
  const local = `local ${addresses.length === 0 ? pod : addresses.join(',')}`
  const to = (address: string, port: number) => endpointText(address, port)
  const sent = (who: string, what: string, words: string) => ({ who, what, packet: `${words} ${local}` })
  const came = (who: string, what: string, port: number, from: string = PEER[family]) =>
    sent(who, what, `tcp ${to(pod, port)} from ${to(from, 40000)} in eth0`)
  const app = 'uid 1000'
  const own = mode === 'ambient' ? 'mark 0x539' : `uid ${proxyUid}`
  const name = mode === 'ambient' ? 'ztunnel' : 'The proxy'
  return [
    sent('The application', 'calls a service', `tcp ${to(SERVICE[family], 80)} ${app}`),
    sent('The application', 'calls a host outside', `tcp ${to(OUTSIDE[family], 443)} ${app}`),
    sent('The application', 'asks for a name', `udp ${to(RESOLVER[family], 53)} ${app}`),
    sent('The application', 'calls itself on localhost', `tcp ${to(LOOPBACK[family], 8080)} ${app}`),
    sent('The application', 'calls its own pod address', `tcp ${to(pod, 8080)} ${app}`),
    sent(name, 'calls another pod', `tcp ${to(PEER[family], 8080)} ${own}`),
    ...(mode === 'ambient'
      ? []
      : [
          sent(
            name,
            'passes a request on to the application',
            `tcp ${to(pod, 8080)} from ${PASSTHROUGH[family]} out lo ${own}`,
          ),
        ]),
    came('Another pod', 'calls the application', 8080),
    came('Another proxy', 'opens an HBONE tunnel', 15008),
    ...(mode === 'ambient' ? [] : [came('Prometheus', 'reads the telemetry', 15020, NODE[family])]),
    came('The kubelet', 'probes the application', 8080, mode === 'ambient' ? PROBES[family] : NODE[family]),
  ]
}
