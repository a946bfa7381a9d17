import { describe, expect, test } from 'vitest'
import {
  directionOf,
  endpointText,
  familyOf,
  type Packet,
  packetText,
  parsePacket,
  plainAddress,
  protocolNumber,
} from './index.ts'

const refusal = (body: () => unknown): string => {
  try {
    body()
  } catch (error) {
    expect(error).toMatchObject({ name: 'PacketError', code: 'PARSE' })
    return error instanceof Error ? error.message : ''
  }
  return 'no error'
}

describe('text of a packet', () => {
  test.each<[string, Packet]>([
    ['tcp 10.0.0.5', { protocol: 'tcp', dst: '10.0.0.5' }],
    ['tcp 10.0.0.5:80', { protocol: 'tcp', dst: '10.0.0.5', dport: 80 }],
    ['udp [fd00::1]:53', { protocol: 'udp', dst: 'fd00::1', dport: 53 }],
    ['17 fd00::1', { protocol: '17', dst: 'fd00::1' }],
    ['udp 10.0.0.5:0', { protocol: 'udp', dst: '10.0.0.5', dport: 0 }],
    ['tcp 10.0.0.5:65535', { protocol: 'tcp', dst: '10.0.0.5', dport: 65_535 }],
    ['tcp 10.0.0.5 from 10.0.0.6', { protocol: 'tcp', dst: '10.0.0.5', src: '10.0.0.6' }],
    ['tcp 10.0.0.5 from 10.0.0.6:7', { protocol: 'tcp', dst: '10.0.0.5', src: '10.0.0.6', sport: 7 }],
    ['tcp fd00::1 from [fd00::2]:7', { protocol: 'tcp', dst: 'fd00::1', src: 'fd00::2', sport: 7 }],
    ['tcp 10.0.0.5 in eth0 out eth1', { protocol: 'tcp', dst: '10.0.0.5', in: 'eth0', out: 'eth1' }],
    ['tcp 10.0.0.5 uid 0 gid 4294967295', { protocol: 'tcp', dst: '10.0.0.5', uid: 0, gid: 0xffffffff }],
    [
      'tcp 10.0.0.5 mark 0x539 connmark 0xffffffff',
      { protocol: 'tcp', dst: '10.0.0.5', mark: 1337, connmark: 0xffffffff },
    ],
    ...(['NEW', 'ESTABLISHED', 'RELATED', 'INVALID', 'UNTRACKED'] as const).map((state): [string, Packet] => [
      `tcp 10.0.0.5 state ${state}`,
      { protocol: 'tcp', dst: '10.0.0.5', state },
    ]),
    [
      'tcp 10.0.0.5 flags FIN,SYN,RST,PSH,ACK,URG',
      { protocol: 'tcp', dst: '10.0.0.5', tcpFlags: ['FIN', 'SYN', 'RST', 'PSH', 'ACK', 'URG'] },
    ],
    ['tcp 10.0.0.5 flags NONE', { protocol: 'tcp', dst: '10.0.0.5', tcpFlags: [] }],
    ['icmp 10.0.0.5 type 8', { protocol: 'icmp', dst: '10.0.0.5', icmp: [8] }],
    ['icmp 10.0.0.5 type 255/255', { protocol: 'icmp', dst: '10.0.0.5', icmp: [255, 255] }],
    [
      'tcp 10.0.0.5 in eth0 mac 02:00:00:aa:BB:09',
      { protocol: 'tcp', dst: '10.0.0.5', in: 'eth0', mac: '02:00:00:aa:BB:09' },
    ],
    ...(['unicast', 'broadcast', 'multicast'] as const).map((packetType): [string, Packet] => [
      `udp 10.0.0.5 pkttype ${packetType}`,
      { protocol: 'udp', dst: '10.0.0.5', packetType },
    ]),
    ...(['none', 'plain', 'transparent'] as const).map((socket): [string, Packet] => [
      `udp 10.0.0.5 socket ${socket}`,
      { protocol: 'udp', dst: '10.0.0.5', socket },
    ]),
    ['udp 10.0.0.5 local 10.0.0.5,fd00::5', { protocol: 'udp', dst: '10.0.0.5', local: ['10.0.0.5', 'fd00::5'] }],
  ])('%s is parsed, and printed the same', (text, packet) => {
    expect(parsePacket(text)).toEqual(packet)
    expect(packetText(packet)).toBe(text)
  })

  test.each<[string, Packet]>([
    ['  tcp \t 10.0.0.5:80\n', { protocol: 'tcp', dst: '10.0.0.5', dport: 80 }],
    ['tcp [10.0.0.5]:80', { protocol: 'tcp', dst: '10.0.0.5', dport: 80 }],
    ['tcp [fd00::1]', { protocol: 'tcp', dst: 'fd00::1' }],
    [
      'tcp 10.0.0.5 state new flags syn,ack',
      { protocol: 'tcp', dst: '10.0.0.5', state: 'NEW', tcpFlags: ['SYN', 'ACK'] },
    ],
    ['tcp 10.0.0.5 flags none', { protocol: 'tcp', dst: '10.0.0.5', tcpFlags: [] }],
    ['tcp 10.0.0.5 mark 1337 uid 0X10', { protocol: 'tcp', dst: '10.0.0.5', mark: 1337, uid: 16 }],
  ])('%j is parsed too', (text, packet) => {
    expect(parsePacket(text)).toEqual(packet)
  })

  test('words are printed in a fixed order', () => {
    const words = 'in a out b uid 1 gid 2 mark 0x3 connmark 0x4 state NEW flags SYN type 8/0 mac 02:00:00:00:00:09'
    const text = `tcp 10.0.0.5:80 from 10.0.0.6:7 ${words} pkttype unicast socket none local 10.0.0.5`
    const { protocol, dst, dport, ...others } = parsePacket(text)
    const reversed = Object.fromEntries(Object.entries(others).reverse())
    expect(packetText({ ...reversed, protocol, dst, ...(dport === undefined ? {} : { dport }) })).toBe(text)
  })
})

describe('an invalid packet is rejected, and the message names the word', () => {
  const numbers = ['uid', 'gid', 'mark', 'connmark'] as const
  test.each([
    ['', 'packet: "" is not a protocol'],
    ['tpc 10.0.0.5', 'packet: "tpc" is not a protocol'],
    ['1000 10.0.0.5', 'packet: "1000" is not a protocol'],
    ['tcp', 'packet: "" is not an IP address'],
    ['tcp 10.0.0', 'packet: "10.0.0" is not an IP address'],
    ['tcp 10.0.0.5:', 'packet: "10.0.0.5:" is not an IP address'],
    ['tcp 10.0.0.5:http', 'packet: "10.0.0.5:http" is not an IP address'],
    ['tcp [fd00::1]x:80', 'packet: "[fd00::1]x:80" is not an IP address'],
    ['tcp x[fd00::1]:80', 'packet: "x[fd00::1]:80" is not an IP address'],
    ['tcp 10.0.0.5:65536', 'packet: port "65536" is not a number up to 65535'],
    ['tcp 10.0.0.5 from x', 'packet: "x" is not an IP address'],
    ['tcp 10.0.0.5 from fd00::1', 'packet: fd00::1 and 10.0.0.5 are of two families'],
    ['tcp fd00::1 from 10.0.0.5', 'packet: 10.0.0.5 and fd00::1 are of two families'],
    ['tcp 10.0.0.5 uid', 'packet: "uid" has no value'],
    ['tcp 10.0.0.5 uid 1 gid', 'packet: "gid" has no value'],
    [
      'tcp 10.0.0.5 user 1',
      'packet: "user" is not one of from, in, out, uid, gid, mark, connmark, state, flags, type, mac, pkttype, socket, local',
    ],
    ['tcp 10.0.0.5 toString 1', 'packet: "toString" is not one of from, in, '],
    ...numbers.flatMap((word) => [
      [`tcp 10.0.0.5 ${word} 4294967296`, `packet: ${word} "4294967296" is not a number up to 4294967295`],
      [`tcp 10.0.0.5 ${word} -1`, `packet: ${word} "-1" is not a number up to 4294967295`],
      [`tcp 10.0.0.5 ${word} 1x`, `packet: ${word} "1x" is not a number up to 4294967295`],
      [`tcp 10.0.0.5 ${word} x1`, `packet: ${word} "x1" is not a number up to 4294967295`],
      [`tcp 10.0.0.5 ${word} 0x`, `packet: ${word} "0x" is not a number up to 4294967295`],
    ]),
    ['tcp 10.0.0.5 state OLD', 'packet: OLD is not a state: NEW, ESTABLISHED, RELATED, INVALID, UNTRACKED'],
    ['tcp 10.0.0.5 flags SYN,ECN', 'packet: ECN is not a TCP flag: FIN, SYN, RST, PSH, ACK, URG'],
    ['icmp 10.0.0.5 type 256', 'packet: type "256" is not a number up to 255'],
    ['icmp 10.0.0.5 type 3/256', 'packet: code "256" is not a number up to 255'],
    ['icmp 10.0.0.5 type /3', 'packet: type "" is not a number up to 255'],
    ...['02:00:00:00:00', '02:00:00:00:00:09:0a', '02:00:00:00:00:0g', 'x02:00:00:00:00:09', '2:0:0:0:0:9'].map(
      (mac) => [`tcp 10.0.0.5 mac ${mac}`, `packet: ${mac} is not a MAC`],
    ),
    ['tcp 10.0.0.5 pkttype Unicast', 'packet: Unicast is not a packet type: unicast, broadcast, multicast'],
    ['tcp 10.0.0.5 socket any', 'packet: any is not a kind of socket: none, plain, transparent'],
    ['tcp 10.0.0.5 local 10.0.0.5,', 'packet: "" is not an IP address'],
  ])('%j', (text, message) => {
    expect(refusal(() => parsePacket(text))).toContain(message)
  })
})

test.each<[string | undefined, number | undefined, string]>([
  ['10.0.0.5', undefined, '10.0.0.5'],
  ['10.0.0.5', 0, '10.0.0.5:0'],
  ['fd00::1', undefined, 'fd00::1'],
  ['fd00::1', 80, '[fd00::1]:80'],
  [undefined, undefined, '?'],
  [undefined, 80, '?:80'],
])('the endpoint %j, %j is formatted as %s', (address, port, text) => {
  expect(endpointText(address, port)).toBe(text)
})

test.each([
  [{}, 'local'],
  [{ out: 'eth0' }, 'local'],
  [{ in: 'eth0' }, 'incoming'],
  [{ in: 'eth0', out: 'eth1' }, 'forwarded'],
] as const)('the interfaces %j give the direction %s', (interfaces, direction) => {
  expect(directionOf({ protocol: 'tcp', dst: '10.0.0.5', ...interfaces })).toBe(direction)
})

describe('familyOf', () => {
  test.each([
    [{ dst: '10.0.0.5' }, 'ipv4'],
    [{ dst: '10.0.0.5', src: '10.0.0.6', local: ['fd00::1'] }, 'ipv4'],
    [{ dst: 'fd00::1', local: ['10.0.0.5'] }, 'ipv6'],
  ] as const)('the family of %j is %s', (addresses, family) => {
    expect(familyOf({ protocol: 'tcp', ...addresses })).toBe(family)
  })

  test('familyOf rejects an invalid address', () => {
    for (const addresses of [{ dst: 'x' }, { dst: '10.0.0.5', src: 'x' }, { dst: '10.0.0.5', local: ['x'] }]) {
      expect(refusal(() => familyOf({ protocol: 'tcp', ...addresses }))).toBe('packet: "x" is not an IP address')
    }
  })
})

test('plainAddress returns the canonical text of an address', () => {
  expect(plainAddress('FD00:0:0::0001')).toBe('fd00::1')
  expect(refusal(() => plainAddress('10.0.0.05'))).toBe('packet: "10.0.0.05" is not an IP address')
})

describe('protocolNumber', () => {
  test.each([
    ...[
      ['tcp', '6'],
      ['udp', '17'],
      ['icmp', '1'],
      ['ipv6-icmp', '58'],
      ['icmpv6', '58'],
      ['icmp6', '58'],
    ],
    ...[
      ['ah', '51'],
      ['esp', '50'],
      ['gre', '47'],
      ['sctp', '132'],
      ['dccp', '33'],
      ['udplite', '136'],
      ['all', '0'],
    ],
    ...[
      ['ipencap', '4'],
      ['ipip', '4'],
      ['igmp', '2'],
      ['ipv6', '41'],
      ['ipcomp', '108'],
      ['ipv6-mh', '135'],
    ],
    ...[
      ['TCP', '6'],
      ['6', '6'],
      ['006', '6'],
      ['255', '255'],
    ],
  ])('%s has the number %s', (name, number) => {
    expect(protocolNumber(name)).toBe(number)
    expect(() => familyOf({ protocol: name, dst: '10.0.0.5' })).not.toThrow()
  })

  test.each(['', 'tpc', '1000', '6x', 'x6', '-6', 'constructor'])('%j is not a protocol', (name) => {
    expect(protocolNumber(name)).toBeUndefined()
    expect(refusal(() => familyOf({ protocol: name, dst: '10.0.0.5' }))).toBe(
      `packet: ${JSON.stringify(name)} is not a protocol`,
    )
  })
})
