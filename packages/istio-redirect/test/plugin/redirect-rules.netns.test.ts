import { spawnSync } from 'node:child_process'
import { iptables } from '@cni/iptables'
import { type Family, ruleArgs, rulesFor } from '@cni/iptables/rules'
import { netns } from '@cni/netns'
import { tempNetns } from '@cni/netns/testing'
import { expect, test } from 'vitest'
import { type CaptureConfig, captureDefaults } from '../../../istio-rules/src/capture/config.ts'
import { redirectRules } from '../../../istio-rules/src/iptables/rules.ts'
import { istioRestoreText } from '../../../istio-rules/src/iptables/text.ts'
import { goldens } from '../../../istio-rules/test/goldens/cases.ts'

const backends = ['iptables-nft', 'iptables-legacy'] as const
const programs = [
  ['ipv4', 'iptables-nft'],
  ['ipv6', 'ip6tables-nft'],
] as const

const configs: readonly { readonly name: string; readonly config: CaptureConfig }[] = [
  ...goldens,
  { name: 'more owner groups than one rule holds', config: manyGroups(64) },
  { name: 'values that the kernel writes in another way', config: oddValues() },
].map(({ name, config }) => ({ name, config: numericGroups(config) }))

/** Configurations that are checked rule by rule, each by a process. `npm run test:backends` checks all of them. */
const looked = configs.filter(
  ({ name }) =>
    process.env.CNI_BACKENDS === 'all' ||
    ['everything', 'pod-tproxy', 'values that the kernel writes in another way'].includes(name),
)

test.each(backends.flatMap((backend) => configs.map((each) => ({ backend, ...each }))))(
  'the rules of $name load on $backend, verify, and a second apply writes nothing',
  async ({ backend, config }) => {
    await using pod = await tempNetns()
    const firewall = iptables(pod, { backend, print: istioRestoreText })
    const rules = redirectRules(config)
    await firewall.apply(rules)
    await firewall.verify(rules)
    const saved = await save(firewall)
    const again = await firewall.apply(rules)
    expect(again.plan).toBe('unchanged')
    expect(await save(firewall)).toEqual(saved)
  },
)

test.each(looked)(
  'Debian’s iptables finds each of the rules of $name that netlink wrote, and deletes it',
  async ({ config }) => {
    await using pod = await tempNetns()
    const rules = redirectRules(config)
    const firewall = iptables(pod, { backend: 'iptables-nft', programs: 'never' })
    await firewall.apply(rules)
    for (const [family, program] of programs) {
      for (const command of ['-C', '-D']) {
        for (const rule of rulesFor(rules, family)) {
          const argv = ['-t', rule.table, command, rule.chain, ...ruleArgs(rule, family)]
          expect(netns.run(pod, () => spawnSync(program, argv, { encoding: 'utf8' }))).toMatchObject({
            status: 0,
            stderr: '',
          })
        }
      }
      expect(await firewall.save(family)).not.toMatch(/^-A/m)
    }
  },
)

test.each(backends)('on %s a change of the mode removes the rules of the earlier mode', async (backend) => {
  await using pod = await tempNetns()
  const firewall = iptables(pod, { backend, print: istioRestoreText })
  const inbound = { ...captureDefaults, includeInboundPorts: '*' } as const
  const tproxy = { ...inbound, ipv6: true, interceptionMode: 'TPROXY', dns: 'all', dropInvalid: true } as const
  await firewall.apply(redirectRules(tproxy))
  await firewall.apply(redirectRules(inbound))
  await firewall.verify(redirectRules(inbound))
  expect((await save(firewall)).ipv6).not.toContain('ISTIO')
  expect((await save(firewall)).ipv4).not.toMatch(/TPROXY|ISTIO_D|DNS/)
})

test.each(backends)('on %s removal leaves no chain and no jump', async (backend) => {
  await using pod = await tempNetns()
  const firewall = iptables(pod, { backend, print: istioRestoreText })
  const everything = configs.find(({ name }) => name === 'everything')?.config ?? expect.unreachable()
  await firewall.apply(redirectRules(everything))
  await firewall.remove(redirectRules(everything))
  expect(JSON.stringify(await save(firewall))).not.toMatch(/ISTIO|eth9|net1|1337/)
})

/** The rules in the kernel, without counters, comments and policies. */
async function save(firewall: { save(family: Family): Promise<string> }): Promise<Record<Family, string>> {
  const text = async (family: Family) => (await firewall.save(family)).replace(/^#.*\n|\[\d+:\d+\]/gm, '')
  return { ipv4: await text('ipv4'), ipv6: await text('ipv6') }
}

/** Replaces the group java, which the test machine lacks. */
function numericGroups(config: CaptureConfig): CaptureConfig {
  const groups = config.ownerGroups.groups.map((group) => (typeof group === 'number' ? group : 201))
  return { ...config, ownerGroups: { ...config.ownerGroups, groups } }
}

function manyGroups(count: number): CaptureConfig {
  const groups = Array.from({ length: count }, (_, i) => 10_000 + 7 * i)
  return { ...captureDefaults, ipv6: true, ownerGroups: { mode: 'only', groups } }
}

/** Host bits, equal networks, all addresses as a network, port 0, an IPv4-mapped address. */
function oddValues(): CaptureConfig {
  const includeOutboundIPRanges = {
    ipv4: ['10.1.2.3/8', '10.0.0.0/8', '0.0.0.0/0'],
    ipv6: ['fd00::5/8', '::ffff:10.0.0.0/104', '::7f00:35/128', '::/0'],
  }
  const ports = { includeInboundPorts: [0, 65535], excludeOutboundPorts: [0], rerouteVirtualInterfaces: ['k6t-_.x'] }
  return { ...captureDefaults, ...ports, includeOutboundIPRanges, ipv6: true, loopbackCidr: '127.1.2.3/8' }
}
