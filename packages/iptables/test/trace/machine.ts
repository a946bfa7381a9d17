import { type Netns, netns } from '@cni/netns'
import { loadSys, type Sys } from '@cni/netns/sys'
import { tempNetns } from '@cni/netns/testing'
import type { Packet } from '@cni/types/packet'
import type { Family } from '../../src/rules/model.ts'
import { accept, asOwner, close, connect, listen, receive } from './libc.ts'
import { decode, encode, fromSockaddr, idOf, sockaddr } from './wire.ts'

/** Addresses of the network namespace under test. Hosts behind `dum0` never answer. */
export const addresses = {
  ipv4: {
    dummy: '10.9.0.1',
    veth: '10.8.0.2',
    loopback: '127.0.0.1',
    peer: '10.8.0.1',
    hosts: '10.9.0.',
    far: '172.16.5.5',
  },
  ipv6: { dummy: 'fd09::1', veth: 'fd08::2', loopback: '::1', peer: 'fd08::1', hosts: 'fd09::', far: 'fd77::5' },
} as const
export const ports = [53, 80, 8080, 15001]
export const tproxyPort = 15006
export const peerMac = '02:00:00:00:00:09'

/** Network namespace under test: sends packets and records where the packets arrive. */
export interface Machine extends AsyncDisposable {
  readonly pod: Netns
  /** Sends a packet from this namespace or over `veth0`. False if the kernel refuses the packet. */
  send(packet: Packet, id: number): boolean
  /**
   * Opens a connection. Returns the listener that accepted it, and the original destination that the accepted socket
   * reports.
   */
  connect(packet: Packet): string | undefined
  /** Map from a packet id to texts that describe where the packet arrived since the last call. */
  seen(): Map<number, string[]>
}

/** Text that describes where a packet arrived, with its source and destination. */
export const arrival = (
  where: string,
  source: string,
  port: number | undefined,
  dst: string,
  dport: number | undefined,
) => `${where} ${dst}${dport === undefined ? '' : `,${dport}`} from ${source}${port === undefined ? '' : `,${port}`}`

export async function machine(family: Family): Promise<Machine> {
  let stack = new AsyncDisposableStack()
  try {
    const pod = stack.use(await tempNetns())
    const wire = stack.use(await tempNetns())
    const macs = await cable(pod, wire)
    const sys = loadSys()
    const open = (where: Netns, domain: number, type: number, protocol: number, owner = { uid: 0, gid: 0 }) => {
      const fd = netns.run(where, () => ({
        fd: asOwner(owner.uid, owner.gid, () => sys.socket(domain, type, protocol)),
      })).fd
      stack.defer(() => void close(fd))
      return fd
    }
    const domain = family === 'ipv4' ? AF_INET : AF_INET6
    const wires = ['dum1', 'veth1'].map((name, i) => {
      const fd = open(wire, AF_PACKET, SOCK_RAW, htons(ETH_P_ALL))
      sys.setsockopt(fd, SOL_PACKET, PACKET_IGNORE_OUTGOING, int(1))
      sys.bind(fd, linkAddress(macs.indexes[i] ?? 0))
      return { fd, name: name === 'dum1' ? 'dum0' : 'veth0' }
    })
    const listeners = listenersOf(family).map(({ address, port, transparent }) => {
      const fds = [SOCK_DGRAM, SOCK_STREAM].map((type) => {
        const fd = open(pod, domain, type, 0)
        if (transparent) sys.setsockopt(fd, family === 'ipv4' ? 0 : 41, family === 'ipv4' ? 19 : 75, int(1))
        sys.bind(fd, sockaddr(address, port))
        if (type === SOCK_STREAM) listen(fd)
        return fd
      })
      return { fd: fds[0] ?? -1, stream: fds[1] ?? -1, name: transparent ? 'tproxy' : 'udp', address, port }
    })
    const senders = new Map<string, number>()
    const sender = (uid: number, gid: number) => {
      const key = `${uid} ${gid}`
      const fd = senders.get(key) ?? open(pod, domain, SOCK_RAW, IPPROTO_RAW, { uid, gid })
      senders.set(key, fd)
      return fd
    }
    const frame = Buffer.from([...macs.veth0, ...hexBytes(peerMac), ...(family === 'ipv4' ? [8, 0] : [0x86, 0xdd])])
    const into = wires[1]?.fd ?? -1
    stack = stack.move()
    const owned = stack
    return {
      pod,
      send(packet, id) {
        const bytes = encode(packet, id)
        if (packet.in !== undefined) return sys.sendto(into, Buffer.concat([frame, bytes]), 0) > 0
        const fd = sender(packet.uid ?? 0, packet.gid ?? 0)
        sys.setsockopt(fd, SOL_SOCKET, SO_MARK, int(packet.mark ?? 0))
        try {
          return sys.sendto(fd, bytes, 0, sockaddr(packet.dst, 0)) > 0
        } catch {
          // EPERM from `sendto`: a rule in OUTPUT or POSTROUTING dropped the packet.
          return false
        }
      },
      connect(packet) {
        const { uid = 0, gid = 0, src = '', sport = 0, dst, dport = 0 } = packet
        const { fd } = netns.run(pod, () => ({ fd: asOwner(uid, gid, () => sys.socket(domain, SOCK_STREAM, 0)) }))
        try {
          sys.bind(fd, sockaddr(src, sport))
          connect(fd, sockaddr(dst, dport))
          for (const { stream, address, port } of listeners) {
            const accepted = accept(stream)
            if (accepted < 0) continue
            const original = fromSockaddr(
              Buffer.from(originalDestination(sys, accepted, family) ?? sockaddr(address, port)),
            )
            close(accepted)
            return `${address},${port} for ${original.address},${original.port}`
          }
          return undefined
        } finally {
          close(fd)
        }
      },
      seen() {
        const found = new Map<number, string[]>()
        const add = (id: number, text: string) => found.set(id, [...(found.get(id) ?? []), text])
        for (const { fd, name, address, port } of listeners) {
          for (let got = receive(fd); got !== undefined; got = receive(fd)) {
            const id = idOf(got.data)
            const from = fromSockaddr(got.from)
            const [to, toPort] = name === 'udp' ? [address, port] : ['*', tproxyPort]
            if (id !== undefined) add(id, arrival(name, from.address, from.port, to, toPort))
          }
        }
        for (const { fd, name } of wires) {
          for (let got = receive(fd); got !== undefined; got = receive(fd)) {
            const packet = decode(got.data.subarray(14))
            if (packet !== undefined) add(packet.id, arrival(name, packet.src, packet.sport, packet.dst, packet.dport))
          }
        }
        return found
      },
      [Symbol.asyncDispose]: () => owned.disposeAsync(),
    }
  } catch (error) {
    await stack.disposeAsync()
    throw error
  }
}

// internal

const [AF_INET, AF_INET6, AF_PACKET] = [2, 10, 17]
const [SOCK_STREAM, SOCK_DGRAM, SOCK_RAW] = [1 | 0x800, 2 | 0x800, 3]
const IPPROTO_RAW = 255
const ETH_P_ALL = 3
const [SOL_SOCKET, SO_MARK] = [1, 36]
const [SOL_PACKET, PACKET_IGNORE_OUTGOING] = [263, 23]

const htons = (value: number) => ((value & 0xff) << 8) | (value >> 8)
const hexBytes = (text: string) => text.split(':').map((part) => Number.parseInt(part, 16))

function int(value: number): Buffer {
  const out = Buffer.alloc(4)
  out.writeUInt32LE(value)
  return out
}

/** Encodes a `struct sockaddr_ll` for a packet socket on an interface. */
function linkAddress(index: number): Buffer {
  const out = Buffer.alloc(20)
  out.writeUInt16LE(AF_PACKET, 0)
  out.writeUInt16BE(ETH_P_ALL, 2)
  out.writeInt32LE(index, 4)
  return out
}

const SO_ORIGINAL_DST = 80

/** Reads the original destination of a connection from conntrack; `undefined` for an untracked connection. */
function originalDestination(sys: Sys, fd: number, family: Family): Uint8Array | undefined {
  try {
    return family === 'ipv4' ? sys.getsockopt(fd, 0, SO_ORIGINAL_DST, 16) : sys.getsockopt(fd, 41, SO_ORIGINAL_DST, 28)
  } catch {
    // ENOENT from `getsockopt`: conntrack does not know the connection.
    return undefined
  }
}

function listenersOf(family: Family): { address: string; port: number; transparent: boolean }[] {
  const { dummy, veth, loopback } = addresses[family]
  const own = [dummy, veth, loopback, ...(family === 'ipv4' ? ['127.0.0.9'] : [])]
  return [
    ...own.flatMap((address) => ports.map((port) => ({ address, port, transparent: false }))),
    { address: family === 'ipv4' ? '0.0.0.0' : '::', port: tproxyPort, transparent: true },
  ]
}

/** Connects the namespace under test by a veth pair to a namespace without addresses, in which nothing answers. */
async function cable(pod: Netns, wire: Netns): Promise<{ veth0: number[]; indexes: number[] }> {
  const sysctl = (where: Netns, ...settings: string[]) => netns.exec(where, ['sysctl', '-qw', ...settings])
  const batch = (where: Netns, lines: readonly string[]) =>
    netns.exec(where, ['ip', '-batch', '-'], { input: `${lines.join('\n')}\n` })
  await sysctl(wire, 'net.ipv6.conf.all.disable_ipv6=1', 'net.ipv6.conf.default.disable_ipv6=1')
  await sysctl(
    pod,
    ...[
      'ipv4.ip_forward=1',
      'ipv6.conf.all.forwarding=1',
      'ipv4.conf.all.rp_filter=0',
      'ipv4.conf.default.rp_filter=0',
    ].map((each) => `net.${each}`),
    ...['conf.default.accept_dad=0', 'conf.default.mldv2_unsolicited_report_interval=1'].map(
      (each) => `net.ipv6.${each}`,
    ),
    'net.ipv4.tcp_synack_retries=0',
  )
  await batch(
    wire,
    ['dum', 'veth'].flatMap((name) => [
      `link add ${name}1 type veth peer name ${name}0`,
      `link set ${name}0 netns ${pod.path}`,
      `link set ${name}1 up`,
    ]),
  )
  const neighbours = [5, 6, 7].flatMap((last) => [`10.9.0.${last} dev dum0`, `fd09::${last} dev dum0`])
  await batch(pod, [
    ...['dum0', 'veth0'].flatMap((name) => [`link set ${name} addrgenmode none`, `link set ${name} up`]),
    'addr add 10.8.0.2/24 dev veth0',
    'addr add 10.9.0.1/24 dev dum0',
    'addr add fd08::2/64 dev veth0 nodad',
    'addr add fd09::1/64 dev dum0 nodad',
    ...[...neighbours, '10.8.0.1 dev veth0', 'fd08::1 dev veth0'].map(
      (each) => `neigh add ${each} lladdr ${peerMac} nud permanent`,
    ),
  ])
  for (const six of [[], ['-6']]) {
    for (const line of ['rule add fwmark 0x10/0x10 lookup 100', 'route add local default dev lo table 100']) {
      await netns.exec(pod, ['ip', ...six, ...line.split(' ')])
    }
  }
  const read = async (where: Netns, name: string) => {
    const { stdout } = await netns.exec(where, ['ip', '-o', 'link', 'show', name])
    return { index: Number.parseInt(stdout, 10), mac: hexBytes(/ether (\S+)/.exec(stdout)?.[1] ?? '') }
  }
  const indexes = [(await read(wire, 'dum1')).index, (await read(wire, 'veth1')).index]
  return { veth0: (await read(pod, 'veth0')).mac, indexes }
}
