import { restoreText } from '@cni/iptables/rules'
import { printRuleset } from '@cni/nftables/rules'
import { expect, test } from 'vitest'
import { hostRules } from './host-rules.ts'
import { hostTables } from './host-tables.ts'
import { defaultProbeSource } from './pod-rules.ts'

const source = { ipv4: '169.254.7.127', ipv6: 'fd16:9254:7127:1337:ffff:ffff:ffff:ffff' }

test('by default, probes come from link-local addresses', () => {
  expect(defaultProbeSource).toEqual(source)
})

test.each([
  ['ipv4', 'istio-inpod-probes-v4', source.ipv4],
  ['ipv6', 'istio-inpod-probes-v6', source.ipv6],
] as const)('the %s rules translate the source of probes to pods in the mesh', (family, set, address) => {
  const lines = restoreText(hostRules({ ipv6: true, probeSource: source }), family).split('\n')
  expect(lines.filter((line) => /^-/.test(line))).toEqual([
    '-N ISTIO_POSTRT',
    '-I POSTROUTING 1 -j ISTIO_POSTRT',
    `-A ISTIO_POSTRT -p tcp -m owner --socket-exists -m set --match-set ${set} dst -j SNAT --to-source ${address}`,
  ])
})

test('without IPv6 there are no IPv6 rules', () => {
  expect(restoreText(hostRules({ ipv6: false, probeSource: source }), 'ipv6')).toBe('')
})

const declared = (set: string, type: string): string =>
  `\tset ${set} {\n\t\ttype ${type}\n\t\tcomment "UUID of the pods that are part of ambient mesh"\n\t}\n`

test.each([true, false])('native rules do the same (IPv6: %j)', (ipv6) => {
  const ipv6Set = ipv6 ? `\n${declared('istio-inpod-probes-v6', 'ipv6_addr')}` : ''
  const ipv6Rule = ipv6
    ? `\t\tmeta l4proto tcp meta skuid 7 ip6 daddr @istio-inpod-probes-v6 counter packets 0 bytes 0 snat ip6 to ${source.ipv6}\n`
    : ''
  expect(printRuleset(hostTables({ ipv6, probeSource: source, kubeletUid: 7 })).trim()).toBe(
    `table inet istio-ambient-nat {
${declared('istio-inpod-probes-v4', 'ipv4_addr')}${ipv6Set}
	chain postrouting {
		type nat hook postrouting priority srcnat; policy accept;
		meta l4proto tcp meta skuid 7 ip daddr @istio-inpod-probes-v4 counter packets 0 bytes 0 snat ip to ${source.ipv4}
${ipv6Rule}	}
}`,
  )
})
