import fc from 'fast-check'
import {
  booleans,
  cidrs,
  cidrsOrAll,
  groups,
  interfaces,
  loopback,
  mostly,
  ports,
  portsOrAll,
} from '../../../packages/istio-rules/test/values.ts'
import type { Sandbox } from '../sandbox.ts'

/**
 * Random case for Istio's command-line program and ours: a few commands that run in sequence in one network namespace.
 */
export interface CommandCase extends Sandbox {
  readonly runs: readonly Command[]
}

/** One command of a random test case: its arguments and environment variables. */
export interface Command {
  readonly argv: readonly string[]
  readonly env: Readonly<Record<string, string>>
}

type Text = fc.Arbitrary<string>

const port: Text = mostly(
  fc.integer({ min: 1, max: 65535 }).map(String),
  fc.constantFrom('0', '65536', 'http', '', '-1', '15001 ', '0x50', '015', '15001,15002', '*'),
)
const id: Text = fc.oneof(fc.constantFrom('1337', '0', '1000', '4294967294'), fc.nat({ max: 99999 }).map(String))
const ids: Text = mostly(
  fc.oneof(id, fc.tuple(id, id).map(String)),
  fc.constantFrom('', 'root', 'no-such-user', '1,', '-1', '1 2', '4294967295', '1-5', ' 7', '0x7'),
)
const number: Text = mostly(
  fc.constantFrom('1337', '133', '1', '255', '100', '4096'),
  fc.constantFrom('0', '0x10', '-1', '', 'x', '4294967296', '1 ', '010', '1.5', '4294967295', '254'),
)
const mode: Text = mostly(fc.constantFrom('REDIRECT', 'TPROXY', 'TPROXY'), fc.constantFrom('', 'tproxy', 'NONE', 'x'))

/** Flags that take a value, by name. Each flag has a short letter and random values. */
const VALUES: Readonly<Record<string, readonly [letter: string, values: Text]>> = {
  'envoy-port': ['p', port],
  'inbound-capture-port': ['z', port],
  'inbound-tunnel-port': ['e', port],
  'proxy-uid': ['u', ids],
  'proxy-gid': ['g', ids],
  'istio-inbound-interception-mode': ['m', mode],
  'istio-inbound-tproxy-mark': ['t', number],
  'istio-inbound-tproxy-route-table': ['r', number],
  'istio-inbound-ports': ['b', portsOrAll],
  'istio-local-exclude-ports': ['d', ports],
  'istio-exclude-interfaces': ['c', interfaces],
  'istio-service-cidr': ['i', cidrsOrAll],
  'istio-service-exclude-cidr': ['x', cidrs],
  'istio-outbound-ports': ['q', ports],
  'istio-local-outbound-ports-exclude': ['o', ports],
  'kube-virt-interfaces': ['k', interfaces],
}
const VARIABLES: Readonly<Record<string, Text>> = {
  INBOUND_CAPTURE_PORT: port,
  INBOUND_TUNNEL_PORT: port,
  PROXY_UID: ids,
  PROXY_GID: ids,
  INBOUND_INTERCEPTION_MODE: mode,
  ISTIO_INBOUND_INTERCEPTION_MODE: mode,
  ISTIO_INBOUND_TPROXY_MARK: number,
  ISTIO_INBOUND_PORTS: portsOrAll,
  ISTIO_LOCAL_EXCLUDE_PORTS: ports,
  ISTIO_EXCLUDE_INTERFACES: interfaces,
  ISTIO_SERVICE_CIDR: cidrsOrAll,
  ISTIO_SERVICE_EXCLUDE_CIDR: cidrs,
  ISTIO_OUTBOUND_PORTS: ports,
  ISTIO_LOCAL_OUTBOUND_PORTS_EXCLUDE: ports,
  KUBE_VIRT_INTERFACES: interfaces,
  ENVOY_PORT: port,
  REDIRECT_DNS: booleans,
  ISTIO_META_DNS_CAPTURE: booleans,
  DROP_INVALID: booleans,
  INVALID_DROP: booleans,
  DUAL_STACK: booleans,
  ISTIO_DUAL_STACK: booleans,
  CAPTURE_ALL_DNS: booleans,
  RECONCILE: booleans,
  IPTABLES_PROBE_PORT: port,
  PROBE_TIMEOUT: fc.constantFrom('5s', '1m30s', 'x', ''),
  ISTIO_OUTBOUND_OWNER_GROUPS: groups,
  ISTIO_OUTBOUND_OWNER_GROUPS_EXCLUDE: groups,
  ISTIO_OUTBOUND_IPV4_LOOPBACK_CIDR: loopback,
  ENVOY_USER: fc.constantFrom('root', 'nobody', 'no-such-user', ''),
}
const SWITCHES = ['redirect-dns', 'drop-invalid', 'dual-stack', 'capture-all-dns']

const valueFlag = fc
  .tuple(fc.constantFrom(...Object.entries(VALUES)), fc.constantFrom('=', ' ', 'short', 'short '))
  .chain(([[name, [letter, values]], form]) =>
    values.map((value) => {
      if (form === '=') return [`--${name}=${value}`]
      if (form === ' ') return [`--${name}`, value]
      // A random value must not begin with `=`, because `-b=80` means the value `80`.
      return form === 'short' && value !== '' ? [`-${letter}${value}`] : [`-${letter}`, value]
    }),
  )
const switchFlag = fc
  .tuple(
    fc.constantFrom(...SWITCHES),
    mostly(
      fc.constant(''),
      booleans.map((value) => `=${value}`),
    ),
  )
  .map(([name, value]) => [`--${name}${value}`])
const seldom = fc.constantFrom<string[]>(
  ['--dry-run'],
  ['-n'],
  ['--skip-rule-apply'],
  ['--cni-mode'],
  ['--force-apply'],
  ['--reconcile'],
  ['--cleanup-only'],
  ['--force-iptables-binary=nft'],
  ['--force-iptables-binary=legacy'],
  ['--force-iptables-binary=other'],
  ['--bogus'],
  ['-Q'],
  ['--envoy-port'],
  ['version'],
  ['--', 'x'],
  ['--iptables-probe-port=0x3a9a'],
  ['--iptables-probe-port=70000'],
  ['--probe-timeout=soon'],
  ['--istio-inbound-port=80'],
)
const flag: fc.Arbitrary<readonly string[]> = fc.oneof(
  { arbitrary: valueFlag, weight: 12 },
  { arbitrary: switchFlag, weight: 4 },
)
const env = fc
  .array(
    fc.constantFrom(...Object.entries(VARIABLES)).chain(([name, values]) => values.map((value) => [name, value])),
    {
      maxLength: 4,
    },
  )
  .map((entries): Record<string, string> => Object.fromEntries(entries))
const command: fc.Arbitrary<Command> = fc
  .record({
    usual: fc.subarray([
      ['-b', '*'],
      ['-i', '*'],
      ['-u', '1337'],
    ]),
    flags: fc.array(flag, { maxLength: 7 }),
    odd: mostly(fc.constant<string[][]>([]), fc.array(seldom, { minLength: 1, maxLength: 2 })),
    env: mostly(fc.constant({}), fc.constant({}), env, env, env, env, env, env),
  })
  .map(({ usual, flags, odd, env }) => ({ argv: [...usual, ...flags, ...odd].flat(), env }))

/** Restricts most cases to one back end, because Istio's program may switch between two. */
const inARow = (commands: fc.Arbitrary<readonly Command[]>): fc.Arbitrary<readonly Command[]> =>
  fc
    .tuple(
      commands,
      mostly(
        fc.constantFrom<string[]>(['--force-iptables-binary=nft'], ['--force-iptables-binary=legacy']),
        fc.constant<string[]>([]),
      ),
    )
    .map(([all, force]) => all.map((one) => ({ ...one, argv: [...force, ...one.argv] })))

const again = (more: readonly string[]) =>
  inARow(command.map((first) => [first, { ...first, argv: [...first.argv, ...more] }]))

/** Generator of random istio-iptables commands: one command, a repeated command, or two different commands. */
export const commandCase: fc.Arbitrary<CommandCase> = fc.record({
  runs: fc.oneof<fc.WeightedArbitrary<readonly Command[]>[]>(
    { arbitrary: command.map((one) => [one]), weight: 20 },
    { arbitrary: command.map(({ argv, env }) => [{ argv: [...argv, '--dry-run'], env }]), weight: 5 },
    { arbitrary: again([]), weight: 2 },
    { arbitrary: again(['--cleanup-only']), weight: 3 },
    { arbitrary: again(['--force-apply']), weight: 1 },
    { arbitrary: again(['--reconcile']), weight: 1 },
    { arbitrary: inARow(fc.tuple(command, command)), weight: 1 },
  ),
  addresses: mostly<readonly string[]>(
    fc.constantFrom(['10.1.2.3/24'], ['fd00:10::5/64'], ['10.1.2.3/24', 'fd00:10::5/64']),
    fc.constant([]),
    fc.constantFrom(['169.254.3.4/16'], ['fe80::7/64']),
  ),
  foreign: mostly<readonly string[]>(
    fc.constant([]),
    fc.constantFrom(
      ['iptables-legacy -t nat -A POSTROUTING -s 10.0.0.0/8 -j MASQUERADE', 'iptables-legacy -A INPUT -j ACCEPT'],
      ['iptables-nft -t nat -A OUTPUT -p tcp --dport 9 -j ACCEPT'],
      ['ip rule add fwmark 5 lookup 100', 'ip route add local 0.0.0.0/0 dev lo table 133'],
    ),
  ),
})
