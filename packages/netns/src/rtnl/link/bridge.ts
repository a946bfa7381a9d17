import type { Attribute } from '../../netlink/encode.ts'
import type { BridgeOptions, BridgePort } from '../port/arguments.ts'
import { decodeOptions, encodeOptions, flag, flag32, type OptionTable, seconds, u16, u32 } from './option-table.ts'

const IFLA_BR_FORWARD_DELAY = 1
const IFLA_BR_HELLO_TIME = 2
const IFLA_BR_MAX_AGE = 3
const IFLA_BR_AGEING_TIME = 4
const IFLA_BR_STP_STATE = 5
const IFLA_BR_PRIORITY = 6
const IFLA_BR_VLAN_FILTERING = 7
const IFLA_BR_GROUP_FWD_MASK = 9
const IFLA_BR_MCAST_SNOOPING = 23
const IFLA_BR_VLAN_DEFAULT_PVID = 39

const IFLA_BRPORT_PRIORITY = 2
const IFLA_BRPORT_COST = 3
const IFLA_BRPORT_MODE = 4
const IFLA_BRPORT_GUARD = 5
const IFLA_BRPORT_LEARNING = 8
const IFLA_BRPORT_UNICAST_FLOOD = 9
const IFLA_BRPORT_PROXYARP = 10
const IFLA_BRPORT_MCAST_FLOOD = 27
const IFLA_BRPORT_BCAST_FLOOD = 30
const IFLA_BRPORT_NEIGH_SUPPRESS = 32
const IFLA_BRPORT_ISOLATED = 33

const bridgeOptions: OptionTable<BridgeOptions> = {
  // Does not validate the bridge's times, because the kernel validates them only while STP runs.
  forwardDelaySeconds: seconds(IFLA_BR_FORWARD_DELAY),
  helloSeconds: seconds(IFLA_BR_HELLO_TIME),
  maxAgeSeconds: seconds(IFLA_BR_MAX_AGE),
  ageingSeconds: seconds(IFLA_BR_AGEING_TIME),
  stp: flag32(IFLA_BR_STP_STATE),
  priority: u16(IFLA_BR_PRIORITY),
  vlanFiltering: flag(IFLA_BR_VLAN_FILTERING),
  groupForwardMask: u16(IFLA_BR_GROUP_FWD_MASK),
  multicastSnooping: flag(IFLA_BR_MCAST_SNOOPING),
  vlanDefaultPvid: u16(IFLA_BR_VLAN_DEFAULT_PVID, 4094),
}

const portOptions: OptionTable<BridgePort> = {
  priority: u16(IFLA_BRPORT_PRIORITY, 63),
  cost: u32(IFLA_BRPORT_COST),
  hairpin: flag(IFLA_BRPORT_MODE),
  guard: flag(IFLA_BRPORT_GUARD),
  learning: flag(IFLA_BRPORT_LEARNING),
  flood: flag(IFLA_BRPORT_UNICAST_FLOOD),
  proxyArp: flag(IFLA_BRPORT_PROXYARP),
  multicastFlood: flag(IFLA_BRPORT_MCAST_FLOOD),
  broadcastFlood: flag(IFLA_BRPORT_BCAST_FLOOD),
  neighSuppress: flag(IFLA_BRPORT_NEIGH_SUPPRESS),
  isolated: flag(IFLA_BRPORT_ISOLATED),
}

/** Encodes the options of a bridge. Throws `NetnsError('INVALID')`. */
export function encodeBridge(options: BridgeOptions): Attribute[] {
  return encodeOptions('bridge', bridgeOptions, options)
}

/** Decodes the options of a bridge. */
export function decodeBridge(data: ReadonlyMap<number, Buffer>): BridgeOptions {
  const { vlanFiltering, ...options } = decodeOptions(bridgeOptions, data)
  // Omits `vlanFiltering` if the kernel lacks bridge VLANs, because the kernel refuses the option.
  return options.vlanDefaultPvid === undefined || vlanFiltering === undefined ? options : { ...options, vlanFiltering }
}

/** Encodes the options of a bridge port. Throws `NetnsError('INVALID')`. */
export function encodeBridgePort(port: BridgePort): Attribute[] {
  return encodeOptions('bridgePort', portOptions, port)
}

/** Decodes the options of a bridge port. */
export function decodeBridgePort(data: ReadonlyMap<number, Buffer>): BridgePort {
  return decodeOptions(portOptions, data)
}
