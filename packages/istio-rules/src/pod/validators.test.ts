import { expect, test } from 'vitest'
import { interceptionMode, interfaces, ipRanges, ipRangesOrAll, ports, portsOrAll } from './validators.ts'

const parsers = { interceptionMode, ports, portsOrAll, ipRanges, ipRangesOrAll, interfaces }
const v4 = (...ipv4: string[]) => ({ ipv4, ipv6: [] })
const v6 = (...ipv6: string[]) => ({ ipv4: [], ipv6 })

test.each([
  ['interceptionMode', 'REDIRECT', 'REDIRECT'],
  ['interceptionMode', 'TPROXY', 'TPROXY'],
  ['ports', '', []],
  ['ports', ' \n', []],
  ['ports', '80', [80]],
  ['ports', '80, 443', [80, 443]],
  ['ports', '\t80\n', [80]],
  ['ports', '0,65535', [0, 65535]],
  ['ports', '0022,22', [22]],
  ['ports', '80,443, 80', [80, 443]],
  ['portsOrAll', '*', '*'],
  ['portsOrAll', '', []],
  ['ipRanges', '', v4()],
  ['ipRanges', '10.0.0.0/8', v4('10.0.0.0/8')],
  ['ipRanges', '10.1.2.3/8', v4('10.1.2.3/8')],
  ['ipRanges', '0.0.0.0/0', v4('0.0.0.0/0')],
  ['ipRanges', '10.0.0.0/8,fd00::/8,10.0.0.0/8', { ipv4: ['10.0.0.0/8'], ipv6: ['fd00::/8'] }],
  ['ipRanges', 'FD00:0:0::5/64', v6('fd00::5/64')],
  ['ipRanges', '::/0', v6('::/0')],
  ['ipRanges', '1:0:0:2:0:0:0:3/128', v6('1:0:0:2::3/128')],
  ['ipRanges', '1:0:2:3:4:5:6:7/128', v6('1:0:2:3:4:5:6:7/128')],
  ['ipRanges', '::ffff:10.0.0.0/104', v6('::ffff:10.0.0.0/104')],
  ['ipRanges', '::127.0.0.53/128', v6('::7f00:35/128')],
  ['ipRangesOrAll', '*', '*'],
  ['interfaces', '', []],
  ['interfaces', 'eth0', ['eth0']],
  ['interfaces', ' eth0, net1.5 ,eth0', ['eth0', 'net1.5']],
  ['interfaces', 'a23456789012345', ['a23456789012345']],
  ['interfaces', 'k6t-_.x', ['k6t-_.x']],
] as const)('%s parses %j as %j', (parser, value, expected) => {
  expect(parsers[parser](value)).toEqual(expected)
})

test.each([
  ['interceptionMode', 'NONE', 'expected REDIRECT or TPROXY'],
  ['interceptionMode', 'redirect', 'expected REDIRECT or TPROXY'],
  ['interceptionMode', '', 'expected REDIRECT or TPROXY'],
  ['ports', '80,', 'there is no port between two commas'],
  ['ports', 'http', '"http" is not a port (0 to 65535)'],
  ['ports', '65536', '"65536" is not a port (0 to 65535)'],
  ['ports', '-1', '"-1" is not a port (0 to 65535)'],
  ['ports', '+1', '"+1" is not a port (0 to 65535)'],
  ['ports', '1_000', '"1_000" is not a port (0 to 65535)'],
  ['ports', '80-90', '"80-90" is not a port (0 to 65535)'],
  ['ports', '0x50', '"0x50" is not a port (0 to 65535)'],
  ['ports', '1e3', '"1e3" is not a port (0 to 65535)'],
  ['ports', '80 -j ACCEPT', '"80 -j ACCEPT" is not a port (0 to 65535)'],
  ['ports', '*', '"*" is not possible here, write the ports as "80,443"'],
  ['portsOrAll', '*,80', '"*" is not possible here, write the ports as "80,443"'],
  ['portsOrAll', ' * ', '"*" is not possible here, write the ports as "80,443"'],
  ['ipRanges', '10.0.0.0', '"10.0.0.0" is not an IP range, write "10.0.0.0/8" or "fd00::/8" without blanks'],
  ['ipRanges', '10.0.0.0/33', '"10.0.0.0/33" is not an IP range'],
  ['ipRanges', '10.0.0.0/08', '"10.0.0.0/08" is not an IP range'],
  ['ipRanges', '010.0.0.0/8', '"010.0.0.0/8" is not an IP range'],
  ['ipRanges', ' 10.0.0.0/8', '" 10.0.0.0/8" is not an IP range'],
  ['ipRanges', '10.0.0.0/8,', '"" is not an IP range'],
  ['ipRanges', '10.0.0.0/255.0.0.0', '"10.0.0.0/255.0.0.0" is not an IP range'],
  ['ipRanges', 'fe80::1%eth0/64', '"fe80::1%eth0/64" is not an IP range'],
  ['ipRanges', 'fd00::/129', '"fd00::/129" is not an IP range'],
  ['ipRanges', '*', '"*" is not possible here, write the ranges as "10.0.0.0/8,fd00::/8"'],
  ['ipRangesOrAll', '*,10.0.0.0/8', '"*" is not possible here'],
  ['interfaces', 'eth0,', 'there is no interface name between two commas'],
  ['interfaces', ' ', 'there is no interface name between two commas'],
  ['interfaces', '0eth', '"0eth" is not an interface name'],
  ['interfaces', 'eth0;x', '"eth0;x" is not an interface name'],
  ['interfaces', 'eth@1', '"eth@1" is not an interface name'],
  ['interfaces', 'eth+', '"eth+" is not an interface name'],
  ['interfaces', '-j', '"-j" is not an interface name'],
  ['interfaces', 'a234567890123456', '"a234567890123456" is longer than the 15 characters of an interface name'],
] as const)('%s rejects %j: %s', (parser, value, message) => {
  expect(() => parsers[parser](value)).toThrow(message)
})
