import fc from 'fast-check'

type Text = fc.Arbitrary<string>

/** Creates a generator that mostly uses the generator `often`, and rarely a generator in `seldom`. */
export const mostly = <T>(often: fc.Arbitrary<T>, ...seldom: Array<fc.Arbitrary<T>>): fc.Arbitrary<T> =>
  fc.oneof({ arbitrary: often, weight: 40 }, ...seldom.map((arbitrary) => ({ arbitrary, weight: 1 })))

/** Creates a generator of random comma lists. */
const list = (item: Text, maxLength = 4): Text => fc.array(item, { maxLength }).map((items) => items.join(','))

const port = fc.oneof(
  fc.constantFrom('53', '80', '443', '8080', '15001', '15006', '15008', '15020', '15021', '15053', '15090'),
  fc.integer({ min: 1, max: 65535 }).map(String),
)
const oddPort = fc.constantFrom('0', '0022', '65535')
const blank = fc.constantFrom(' ', '  ', '\t')
const blankPort = fc.tuple(blank, port).map(([before, text]) => `${before}${text}`)
const badPorts = fc.constantFrom(
  'http', '65536', '-1', '+1', '1_000', '80-90', '80,', ',80', '*,80', ' * ', '80;443', '0x50', '80 443', '8０', '１', '80\n', '1e3', '80.0', '$(id)', '-j ACCEPT', '99999999999999999999',
) // biome-ignore format: a table

/** Generator of random port lists in the notation of annotations and flags, including invalid lists. */
export const ports: Text = mostly(
  list(port),
  list(mostly(port, oddPort)),
  list(blankPort),
  list(port, 60),
  badPorts,
  fc.constant('*'),
)

/** Generator of random port lists, or `*` for all ports. */
export const portsOrAll: Text = fc.oneof(ports, fc.constant('*'))

const ipv4 = fc.constantFrom('10.0.0.0/8', '10.96.0.1/32', '172.16.5.4/12', '192.168.1.0/24', '127.0.0.1/32', '127.3.0.0/16', '0.0.0.0/0', '1.2.3.4/30', '169.254.169.254/32') // biome-ignore format: a table
const ipv6 = fc.constantFrom('fd00::/8', 'fd00:10:96::/112', '2001:db8::1/64', '::1/128', '::/0', 'fe80::/10', 'FD00:0:0::A/126', '64:ff9b::1.2.3.4/96', '::ffff:10.1.2.3/120', '::127.0.0.53/128') // biome-ignore format: a table
const badCidrs = fc.constantFrom(
  '10.0.0.0', '10.0.0.0/33', ' 10.0.0.0/8', '10.0.0.0/8,', '10.0.0.0/08', '010.0.0.0/8', 'fe80::1%eth0/64', '*,10.0.0.0/8', '10.0.0/8', '::/129', 'localhost/8', '10.0.0.0/8 ', '10.0.0.0/-1', '10.0.0.0/+8', '1.2.3.4/255.0.0.0', '10.0.0.0/8;x', '::1.2.3/64', '10.0.0.0/8, 10.1.0.0/16', '/8', '10.0.0.0/',
) // biome-ignore format: a table

/** Generator of random lists of IP ranges, including invalid lists. */
export const cidrs: Text = mostly(
  list(fc.oneof(ipv4, ipv4, ipv6)),
  list(fc.oneof(ipv4, ipv6), 30),
  badCidrs,
  fc.constant('*'),
)

/** Generator of random lists of IP ranges, or `*` for all addresses. */
export const cidrsOrAll: Text = fc.oneof(cidrs, fc.constant('*'))

const name = fc.constantFrom(
  'eth0',
  'net1',
  'lo',
  'k6t-net1',
  'veth.100',
  'a_b',
  'wlan-0',
  'A',
  'abcdefghijklmno',
  'not-there',
)
const badNames = fc.constantFrom(
  'eth0,', '0eth', 'eth0;x', 'abcdefghijklmnop', 'eth@1', 'eth+', 'eth 0', '-j', '.', ' ', 'é', 'eth0:1', '!eth0', 'eth0\n', 'eth/0', '"eth0"',
) // biome-ignore format: a table

/** Generator of random lists of interface names. */
export const interfaces: Text = mostly(
  list(name, 3),
  list(
    fc.tuple(blank, name).map(([before, text]) => `${before}${text}`),
    3,
  ),
  badNames,
)

/** Generator of random booleans in Go's notation, and of invalid booleans. */
export const booleans: Text = mostly(
  fc.constantFrom('true', 'true', 'true', '1', 't', 'T', 'TRUE', 'True', 'false', '0', 'f', 'F', 'FALSE', 'False'),
  fc.constantFrom('', 'yes', 'on', 'tRUE', ' true', '01', 'disabled'),
)

/** Generator of random group IDs for the capture by group. */
export const groups: Text = mostly(
  fc.oneof(fc.constant('*'), list(fc.nat({ max: 0xffff_fffe }).map(String)), fc.constant('')),
  list(fc.nat({ max: 3000 }).map(String), 80),
  fc.constantFrom('1,,2', '*,1', ' 5', '5 ', 'no-such-group', '-1', '1-5', '1:2', '4294967295', '0x10', '1;2', 'root'),
)

/** Generator of random IPv4 loopback ranges, including invalid ranges. */
export const loopback: Text = mostly(
  fc.constantFrom('127.0.0.1/32', '127.0.0.0/8', '127.128.0.0/10'),
  fc.constantFrom('', '10.0.0.0/8', '127.0.0.1', '127.0.0.0/7', '::1/128', '127.0.0.0/33', 'x', '127.0.0.1/8'),
)
