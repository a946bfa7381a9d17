import type { LinkToAdd } from '../../rtnl/port/link.ts'
import type { Settings } from './world.ts'

const DEFAULTS = {
  bridge: {
    ageingSeconds: 300,
    stp: false,
    forwardDelaySeconds: 15,
    helloSeconds: 2,
    maxAgeSeconds: 20,
    priority: 0x8000,
    multicastSnooping: true,
    groupForwardMask: 0,
    vlanFiltering: false,
    vlanDefaultPvid: 1,
  },
  vlan: { protocol: '802.1q' },
  macvlan: { mode: 'vepa' },
  ipvlan: { mode: 'l3', isolation: 'bridge' },
  vxlan: { port: 8472, learning: true, ageingSeconds: 300, ttl: 0, udpChecksum: true },
  geneve: { port: 6081, ttl: 0, udpChecksum: true },
} as const

/** Options that the kernel gives to a new bridge port. */
export const NEW_PORT = {
  hairpin: false,
  isolated: false,
  learning: true,
  flood: true,
  multicastFlood: true,
  broadcastFlood: true,
  guard: false,
  neighSuppress: false,
  proxyArp: false,
  cost: 2,
  priority: 32,
} as const

let macs = 0

/** Settings of a new link in the fake kernel: the given settings and the kernel's defaults. */
export function settingsOf(link: LinkToAdd): Settings {
  const { name, kind = '', mtu = 1500, txqlen, up = false, alias } = link
  macs += 1
  const mac = link.mac?.toLowerCase() ?? `02:fa:6e:00:${hex(macs >> 8)}:${hex(macs & 0xff)}`
  const options = Object.fromEntries(
    Object.entries(DEFAULTS).flatMap(([each, defaults]) =>
      each === kind ? [[each, { ...defaults, ...Object.entries(link).find(([member]) => member === kind)?.[1] }]] : [],
    ),
  )
  return {
    ...{ name, kind, mtu, mac, up, loopback: false, promisc: false, allmulti: false },
    txqlen: txqlen ?? (kind === 'ifb' ? 32 : 1000),
    ...(alias === undefined ? {} : { alias }),
    ...options,
  }
}

const hex = (byte: number): string => byte.toString(16).padStart(2, '0')
