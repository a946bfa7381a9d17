import type { Attribute } from '../../netlink/encode.ts'
import type { IpvlanOptions, MacvlanOptions, VlanOptions } from '../port/arguments.ts'
import { be16, choice, decodeOptions, encodeOptions, type OptionTable, u16, u32 } from './option-table.ts'

const IFLA_VLAN_ID = 1
const IFLA_VLAN_PROTOCOL = 5

const IFLA_MACVLAN_MODE = 1

const IFLA_IPVLAN_MODE = 1
const IFLA_IPVLAN_FLAGS = 2

const vlanOptions: OptionTable<VlanOptions> = {
  id: u16(IFLA_VLAN_ID, 4094),
  protocol: choice({ '802.1q': 0x8100, '802.1ad': 0x88a8 }, be16(IFLA_VLAN_PROTOCOL)),
}

const macvlanOptions: OptionTable<MacvlanOptions> = {
  mode: choice({ private: 1, vepa: 2, bridge: 4, passthru: 8, source: 16 }, u32(IFLA_MACVLAN_MODE)),
}

const ipvlanOptions: OptionTable<IpvlanOptions> = {
  mode: choice({ l2: 0, l3: 1, l3s: 2 }, u16(IFLA_IPVLAN_MODE)),
  isolation: choice({ bridge: 0, private: 1, vepa: 2 }, u16(IFLA_IPVLAN_FLAGS)),
}

/** Encodes the options of a VLAN. Throws `NetnsError('INVALID')`. */
export function encodeVlan(options: VlanOptions): Attribute[] {
  return encodeOptions('vlan', vlanOptions, options)
}

/** Decodes the options of a VLAN. */
export function decodeVlan(data: ReadonlyMap<number, Buffer>): VlanOptions {
  return { id: 0, ...decodeOptions(vlanOptions, data) }
}

/** Encodes the options of a macvlan. Throws `NetnsError('INVALID')`. */
export function encodeMacvlan(options: MacvlanOptions): Attribute[] {
  return encodeOptions('macvlan', macvlanOptions, options)
}

/** Decodes the options of a macvlan. */
export function decodeMacvlan(data: ReadonlyMap<number, Buffer>): MacvlanOptions {
  return decodeOptions(macvlanOptions, data)
}

/** Encodes the options of an ipvlan. Throws `NetnsError('INVALID')`. */
export function encodeIpvlan(options: IpvlanOptions): Attribute[] {
  return encodeOptions('ipvlan', ipvlanOptions, options)
}

/** Decodes the options of an ipvlan. */
export function decodeIpvlan(data: ReadonlyMap<number, Buffer>): IpvlanOptions {
  return decodeOptions(ipvlanOptions, data)
}
