import fc from 'fast-check'
import { expect, test } from 'vitest'
import { captureConfig } from '../capture/config.ts'
import { redirectFor } from '../capture/redirect.ts'
import { annotations } from '../pod/annotations.ts'
import type { PodInfo } from '../pod/pod-info.ts'
import { RedirectError } from '../pod/redirect-error.ts'
import { redirectRules } from './rules.ts'
import { istioRestoreText } from './text.ts'

const PORT = String.raw`\d{1,5}`
const ID = String.raw`\d{1,10}`
const NIC = String.raw`[a-zA-Z][\w.-]{0,14}`
const CIDR = String.raw`[\da-f.:]+/\d{1,3}`
const INBOUND = '(?:-p tcp|-p tcp --dport PORT)'

/** All lines that may reach iptables-restore from a pod. */
const LINES = [
  String.raw`\* (?:mangle|nat|raw)`,
  'COMMIT',
  '-N ISTIO_(?:DIVERT|DROP|TPROXY|INBOUND|OUTPUT|OUTPUT_DNS|REDIRECT|IN_REDIRECT)',
  '-A PREROUTING -i NIC -j RETURN',
  '-A OUTPUT -o NIC -j RETURN',
  '-I PREROUTING 1 -i NIC(?: -d CIDR)? -j (?:RETURN|ISTIO_REDIRECT)',
  '-A PREROUTING -m conntrack --ctstate INVALID -j ISTIO_DROP',
  '-A ISTIO_DROP -j DROP',
  '-A ISTIO_DIVERT -j (?:MARK --set-mark 1337|ACCEPT)',
  '-A ISTIO_TPROXY ! -d CIDR -p tcp -j TPROXY --tproxy-mark 1337/0xffffffff --on-port 15006',
  '-A PREROUTING -p tcp -j ISTIO_INBOUND',
  '-A ISTIO_INBOUND -p tcp --dport PORT -j (?:RETURN|ISTIO_IN_REDIRECT|ISTIO_TPROXY)',
  `-A ISTIO_INBOUND ${INBOUND} -m conntrack --ctstate RELATED,ESTABLISHED -j ISTIO_DIVERT`,
  '-A ISTIO_INBOUND -p tcp -j (?:ISTIO_IN_REDIRECT|ISTIO_TPROXY)',
  '-A ISTIO_REDIRECT -p tcp -j REDIRECT --to-ports 15001',
  '-A ISTIO_IN_REDIRECT -p tcp -j REDIRECT --to-ports 15006',
  '-A OUTPUT -j ISTIO_OUTPUT(?:_DNS)?',
  '-A ISTIO_OUTPUT -p (?:tcp|udp) --dport PORT -j RETURN',
  '-A ISTIO_OUTPUT -o lo -s CIDR -j RETURN',
  '-A ISTIO_OUTPUT -o lo ! -d CIDR -p tcp ! --dport 15008 -m owner --[ug]id-owner ID -j ISTIO_IN_REDIRECT',
  '-A ISTIO_OUTPUT -o lo ! -d CIDR -p tcp -m multiport ! --dports 53,15008 -m owner --uid-owner ID -j ISTIO_IN_REDIRECT',
  '-A ISTIO_OUTPUT -o lo(?: -p tcp ! --dport 53)? -m owner ! --[ug]id-owner ID -j RETURN',
  '-A ISTIO_OUTPUT -m owner --[ug]id-owner ID -j RETURN',
  '-A ISTIO_OUTPUT(?: -m owner ! --gid-owner ID)* -j RETURN',
  '-A ISTIO_OUTPUT -j (?:ISTIO_OUTPUT_DNS|ISTIO_REDIRECT)',
  '-A ISTIO_OUTPUT_DNS -p tcp --dport 53 -j REDIRECT --to-ports 15053',
  '-A ISTIO_OUTPUT_DNS -p udp --dport 53 -j REDIRECT --to-port 15053',
  '-A ISTIO_OUTPUT_DNS -p udp (?:--dport 53|--sport 15053) -m owner --[ug]id-owner ID -j CT --zone [12]',
  '-A ISTIO_OUTPUT_DNS -p udp --dport 53 -j CT --zone 2',
  '-A PREROUTING -j ISTIO_INBOUND',
  '-A ISTIO_INBOUND -p udp --sport 53 -j CT --zone 1',
  '-A ISTIO_OUTPUT -d CIDR -j (?:RETURN|ISTIO_REDIRECT)',
  '-A ISTIO_OUTPUT -p tcp --dport PORT -j ISTIO_REDIRECT',
  '-A PREROUTING -p tcp -m mark --mark 1337 -j CONNMARK --save-mark',
  '-A OUTPUT -p tcp -o lo -m mark --mark 1337 -j RETURN',
  '-A OUTPUT ! -d CIDR -p tcp -o lo -m owner --[ug]id-owner ID -j MARK --set-mark 1338',
  '-A OUTPUT -p tcp -m connmark --mark 1337 -j CONNMARK --restore-mark',
  '-I ISTIO_INBOUND 1 -p tcp -m mark --mark 1337 -j RETURN',
  '-I ISTIO_INBOUND 2 -p tcp -s CIDR -i lo -j RETURN',
  '-I ISTIO_INBOUND 3 -p tcp -i lo -m mark ! --mark 1338 -j RETURN',
].map((line) =>
  line
    .replaceAll('PORT', PORT)
    .replaceAll(/\bID\b/g, ID)
    .replaceAll('NIC', NIC)
    .replaceAll('CIDR', CIDR),
)
const LINE = new RegExp(`^(?:${LINES.join('|')})$`)

const valid = fc.constantFrom(
  '80',
  '443',
  '8080',
  '0',
  '65535',
  '10.0.0.0/8',
  'fd00::/8',
  '0.0.0.0/0',
  'eth0',
  'net1',
  '*',
)
const hostile = fc.constantFrom(
  '-j ACCEPT',
  '\n-A OUTPUT -j ACCEPT\n',
  '\nCOMMIT\n* filter\n',
  '"',
  "'",
  ' ',
  '\t',
  '\r\n',
  '\0',
  '#',
  '!',
  '+',
  '/',
  '%eth0',
  '::ffff:',
  ':',
  '-',
  '80:90',
  '$(reboot)',
  '９',
  '0x50',
  '1e2',
)
const list = fc.array(
  fc.oneof({ weight: 6, arbitrary: valid }, hostile, fc.string({ unit: 'binary', maxLength: 20 })),
  {
    maxLength: 6,
  },
)
const value = fc.oneof(
  { weight: 5, arbitrary: fc.array(valid, { maxLength: 6 }).map((items) => items.join()) },
  { weight: 3, arbitrary: list.map((items) => items.join()) },
  { weight: 1, arbitrary: list.map((items) => items.join('')) },
  { weight: 1, arbitrary: fc.constantFrom('REDIRECT', 'TPROXY', 'true', '9'.repeat(300_000), ','.repeat(300_000)) },
)
const record = (keys: readonly string[]) =>
  fc
    .uniqueArray(fc.tuple(fc.constantFrom(...keys), value), { selector: ([key]) => key, maxLength: 3 })
    .map((entries) => Object.fromEntries(entries))
const pod: fc.Arbitrary<PodInfo> = fc.record({
  namespace: fc.constant('default'),
  name: fc.constant('web'),
  containers: fc.constant(new Set(['istio-proxy'])),
  labels: fc.constant({}),
  annotations: record(Object.values(annotations).map(({ key }) => key)),
  proxyEnv: record([
    'ISTIO_META_DNS_CAPTURE',
    'ISTIO_DUAL_STACK',
    'INVALID_DROP',
    'ISTIO_OUTBOUND_OWNER_GROUPS',
    'ISTIO_OUTBOUND_OWNER_GROUPS_EXCLUDE',
  ]),
  hostNetwork: fc.constant(false),
})

function linesOf(info: PodInfo): readonly string[] | undefined {
  try {
    const rules = redirectRules(captureConfig(redirectFor(info), { ipv6: true }))
    return (['ipv4', 'ipv6'] as const).flatMap((family) => istioRestoreText(rules, family).split('\n').slice(0, -1))
  } catch (error) {
    expect(error).toBeInstanceOf(RedirectError)
    expect(String(error)).not.toMatch(/[\0\n\r]/)
    expect(String(error).length).toBeLessThan(400)
    return undefined
  }
}

test('any annotations and variables of a pod result in known lines or in a RedirectError of one line', () => {
  const seen = { rules: 0, errors: 0 }
  fc.assert(
    fc.property(pod, (info) => {
      const lines = linesOf(info)
      expect(lines?.filter((line) => !LINE.test(line)) ?? []).toEqual([])
      seen[lines ? 'rules' : 'errors'] += 1
    }),
    { numRuns: 1000 },
  )
  // The generator has to produce both valid and invalid pods.
  expect(Math.min(seen.rules, seen.errors)).toBeGreaterThan(100)
})
