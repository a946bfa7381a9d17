import type { Attribute } from '../../netlink/encode.ts'
import { be16, readBe16, readU16, readU32, u16, u32 } from '../../netlink/values.ts'
import { defined } from '../check.ts'
import { OptionWriter } from './option-writer.ts'
import type { IpvlanOptions, MacvlanOptions, VlanOptions } from './options.ts'

const IFLA_VLAN_ID = 1
const IFLA_VLAN_PROTOCOL = 5
const vlanProtocols = { '802.1q': 0x8100, '802.1ad': 0x88a8 } as const

const IFLA_MACVLAN_MODE = 1
const macvlanModes = { private: 1, vepa: 2, bridge: 4, passthru: 8, source: 16 } as const

const IFLA_IPVLAN_MODE = 1
const IFLA_IPVLAN_FLAGS = 2
const ipvlanModes = { l2: 0, l3: 1, l3s: 2 } as const
const ipvlanFlags = { bridge: 0, private: 1, vepa: 2 } as const

/** The attributes of a VLAN. Throws `NetnsError('INVALID')`. */
export function encodeVlan({ id, protocol }: VlanOptions): Attribute[] {
  return new OptionWriter('vlan')
    .u16(IFLA_VLAN_ID, 'id', id, 4094)
    .choice('protocol', protocol, vlanProtocols, (number) => [IFLA_VLAN_PROTOCOL, be16(number)]).attributes
}

/** The options among the attributes of a VLAN. */
export function decodeVlan(data: ReadonlyMap<number, Buffer>): VlanOptions {
  const protocol = wordOf(vlanProtocols, readBe16(data.get(IFLA_VLAN_PROTOCOL)))
  return defined({ id: readU16(data.get(IFLA_VLAN_ID)) ?? 0, protocol })
}

/** The attributes of a macvlan. Throws `NetnsError('INVALID')`. */
export function encodeMacvlan({ mode }: MacvlanOptions): Attribute[] {
  return new OptionWriter('macvlan').choice('mode', mode, macvlanModes, (number) => [IFLA_MACVLAN_MODE, u32(number)])
    .attributes
}

/** The options among the attributes of a macvlan. */
export function decodeMacvlan(data: ReadonlyMap<number, Buffer>): MacvlanOptions {
  return defined({ mode: wordOf(macvlanModes, readU32(data.get(IFLA_MACVLAN_MODE))) })
}

/** The attributes of an ipvlan. Throws `NetnsError('INVALID')`. */
export function encodeIpvlan({ mode, isolation }: IpvlanOptions): Attribute[] {
  return new OptionWriter('ipvlan')
    .choice('mode', mode, ipvlanModes, (number) => [IFLA_IPVLAN_MODE, u16(number)])
    .choice('isolation', isolation, ipvlanFlags, (number) => [IFLA_IPVLAN_FLAGS, u16(number)]).attributes
}

/** The options among the attributes of an ipvlan. */
export function decodeIpvlan(data: ReadonlyMap<number, Buffer>): IpvlanOptions {
  return defined({
    mode: wordOf(ipvlanModes, readU16(data.get(IFLA_IPVLAN_MODE))),
    isolation: wordOf(ipvlanFlags, readU16(data.get(IFLA_IPVLAN_FLAGS))),
  })
}

function wordOf<Word extends string>(
  numbers: Readonly<Record<Word, number>>,
  wanted: number | undefined,
): Word | undefined {
  for (const word in numbers) if (numbers[word] === wanted) return word
  return undefined
}
