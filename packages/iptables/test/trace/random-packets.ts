import type { Packet } from '@cni/types/packet'
import fc from 'fast-check'
import type { Family } from '../../src/rules/model.ts'
import { addresses, peerMac, ports } from './machine.ts'

const values = fc.constantFrom

/** Random packet. If `follow` is true, the test adds an answer and one more packet. */
export interface Drawn {
  readonly packet: Packet
  readonly follow: boolean
}

/** Random packets that the tested machine sends, receives or forwards. */
export function anyPacket(family: Family): fc.Arbitrary<Drawn> {
  const { dummy, veth, peer, hosts, far, loopback } = addresses[family]
  const ids = values(0, 1000, 1337)
  const owner = { uid: ids, gid: ids, mark: values(0, 0, 0, 1, 2, 5) }
  // REDIRECT uses the first address, which belongs to the interface towards the sender.
  const here = (first: string) => fc.constant([first, first === dummy ? veth : dummy])
  const incoming = { in: fc.constant('veth0'), mac: fc.constant(peerMac), packetType: fc.constant('unicast' as const) }
  const one = (fields: { [Key in keyof Packet]?: fc.Arbitrary<Packet[Key]> }, follow = false): fc.Arbitrary<Drawn> =>
    fc.tuple(fc.record(fields) as fc.Arbitrary<Packet>, transport(family)).map(([packet, more]) => ({
      packet: { ...packet, ...more },
      follow: follow && more.protocol === 'udp' && packet.src !== far,
    }))
  const otherLoopback = family === 'ipv4' ? ['127.0.0.9'] : []
  return fc.oneof(
    one({
      src: values(dummy, dummy, far),
      dst: values(`${hosts}5`, `${hosts}6`),
      out: fc.constant('dum0'),
      local: here(dummy),
      ...owner,
    }),
    one(
      { src: fc.constant(veth), dst: fc.constant(peer), out: fc.constant('veth0'), local: here(veth), ...owner },
      true,
    ),
    values(loopback, ...otherLoopback, dummy).chain((dst) =>
      one({ src: values(dst === dummy ? dummy : loopback, far), dst: fc.constant(dst), local: here(dummy), ...owner }),
    ),
    one({ src: values(peer, peer, far), dst: values(veth, veth, dummy), local: here(veth), ...incoming }, true),
    one({
      src: values(peer, far),
      dst: values(`${hosts}5`, `${hosts}6`),
      out: fc.constant('dum0'),
      local: here(veth),
      ...incoming,
    }),
  )
}

// internal

type Transport = Pick<Packet, 'protocol' | 'dport' | 'icmp' | 'tcpFlags' | 'state'>

function transport(family: Family): fc.Arbitrary<Transport> {
  const dport = values(...ports)
  const udp = dport.map((port): Transport => ({ protocol: 'udp', dport: port }))
  const segments: [NonNullable<Packet['tcpFlags']> | undefined, NonNullable<Packet['state']> | undefined][] = [
    [undefined, undefined],
    [undefined, undefined],
    [['ACK'], undefined],
    [['SYN', 'ACK'], 'INVALID'],
    [[], 'INVALID'],
  ]
  const tcp = fc.tuple(dport, values(...segments)).map(
    ([port, [tcpFlags, state]]): Transport => ({
      ...{ protocol: 'tcp', dport: port },
      ...(tcpFlags === undefined ? {} : { tcpFlags }),
      ...(state === undefined ? {} : { state }),
    }),
  )
  const icmp = fc.constant<Transport>({
    protocol: family === 'ipv4' ? 'icmp' : 'icmpv6',
    icmp: [family === 'ipv4' ? 8 : 128, 0],
  })
  return fc.oneof({ arbitrary: udp, weight: 4 }, { arbitrary: tcp, weight: 2 }, { arbitrary: icmp, weight: 1 })
}
