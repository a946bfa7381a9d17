import type { Attribute } from '../../netlink/encode.ts'
import { readFlag, readU16, readU32 } from '../../netlink/values.ts'
import { defined } from '../check.ts'
import { OptionWriter } from './option-writer.ts'
import type { BridgeOptions, BridgePort } from './options.ts'

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

/** The attributes of a bridge. Throws `NetnsError('INVALID')`. */
export function encodeBridge(options: BridgeOptions): Attribute[] {
  return (
    new OptionWriter('bridge')
      // The kernel holds the times against each other only while the protocol runs.
      .seconds(IFLA_BR_FORWARD_DELAY, 'forwardDelaySeconds', options.forwardDelaySeconds)
      .seconds(IFLA_BR_HELLO_TIME, 'helloSeconds', options.helloSeconds)
      .seconds(IFLA_BR_MAX_AGE, 'maxAgeSeconds', options.maxAgeSeconds)
      .seconds(IFLA_BR_AGEING_TIME, 'ageingSeconds', options.ageingSeconds)
      .flag32(IFLA_BR_STP_STATE, 'stp', options.stp)
      .u16(IFLA_BR_PRIORITY, 'priority', options.priority)
      .flag(IFLA_BR_VLAN_FILTERING, 'vlanFiltering', options.vlanFiltering)
      .u16(IFLA_BR_GROUP_FWD_MASK, 'groupForwardMask', options.groupForwardMask)
      .flag(IFLA_BR_MCAST_SNOOPING, 'multicastSnooping', options.multicastSnooping)
      .u16(IFLA_BR_VLAN_DEFAULT_PVID, 'vlanDefaultPvid', options.vlanDefaultPvid, 4094).attributes
  )
}

/** The options among the attributes of a bridge. */
export function decodeBridge(data: ReadonlyMap<number, Buffer>): BridgeOptions {
  const vlanDefaultPvid = readU16(data.get(IFLA_BR_VLAN_DEFAULT_PVID))
  return defined({
    // A kernel without VLANs in bridges tells that they are not filtered, and does not let itself be told.
    vlanFiltering: vlanDefaultPvid === undefined ? undefined : readFlag(data.get(IFLA_BR_VLAN_FILTERING)),
    vlanDefaultPvid,
    ageingSeconds: seconds(data.get(IFLA_BR_AGEING_TIME)),
    stp: readFlag(data.get(IFLA_BR_STP_STATE)),
    forwardDelaySeconds: seconds(data.get(IFLA_BR_FORWARD_DELAY)),
    helloSeconds: seconds(data.get(IFLA_BR_HELLO_TIME)),
    maxAgeSeconds: seconds(data.get(IFLA_BR_MAX_AGE)),
    priority: readU16(data.get(IFLA_BR_PRIORITY)),
    multicastSnooping: readFlag(data.get(IFLA_BR_MCAST_SNOOPING)),
    groupForwardMask: readU16(data.get(IFLA_BR_GROUP_FWD_MASK)),
  })
}

/** The attributes of a port. Throws `NetnsError('INVALID')`. */
export function encodeBridgePort(port: BridgePort): Attribute[] {
  return new OptionWriter('bridgePort')
    .u16(IFLA_BRPORT_PRIORITY, 'priority', port.priority, 63)
    .u32(IFLA_BRPORT_COST, 'cost', port.cost)
    .flag(IFLA_BRPORT_MODE, 'hairpin', port.hairpin)
    .flag(IFLA_BRPORT_GUARD, 'guard', port.guard)
    .flag(IFLA_BRPORT_LEARNING, 'learning', port.learning)
    .flag(IFLA_BRPORT_UNICAST_FLOOD, 'flood', port.flood)
    .flag(IFLA_BRPORT_PROXYARP, 'proxyArp', port.proxyArp)
    .flag(IFLA_BRPORT_MCAST_FLOOD, 'multicastFlood', port.multicastFlood)
    .flag(IFLA_BRPORT_BCAST_FLOOD, 'broadcastFlood', port.broadcastFlood)
    .flag(IFLA_BRPORT_NEIGH_SUPPRESS, 'neighSuppress', port.neighSuppress)
    .flag(IFLA_BRPORT_ISOLATED, 'isolated', port.isolated).attributes
}

/** The options among the attributes of a port. */
export function decodeBridgePort(data: ReadonlyMap<number, Buffer>): BridgePort {
  return defined({
    hairpin: readFlag(data.get(IFLA_BRPORT_MODE)),
    isolated: readFlag(data.get(IFLA_BRPORT_ISOLATED)),
    learning: readFlag(data.get(IFLA_BRPORT_LEARNING)),
    flood: readFlag(data.get(IFLA_BRPORT_UNICAST_FLOOD)),
    multicastFlood: readFlag(data.get(IFLA_BRPORT_MCAST_FLOOD)),
    broadcastFlood: readFlag(data.get(IFLA_BRPORT_BCAST_FLOOD)),
    guard: readFlag(data.get(IFLA_BRPORT_GUARD)),
    neighSuppress: readFlag(data.get(IFLA_BRPORT_NEIGH_SUPPRESS)),
    proxyArp: readFlag(data.get(IFLA_BRPORT_PROXYARP)),
    cost: readU32(data.get(IFLA_BRPORT_COST)),
    priority: readU16(data.get(IFLA_BRPORT_PRIORITY)),
  })
}

function seconds(bytes: Buffer | undefined): number | undefined {
  const hundredths = readU32(bytes)
  return hundredths === undefined ? undefined : hundredths / 100
}
