import { spawnSync } from 'node:child_process'
import { defaultProbeSource, hostTables, podTables } from '@cni/istio-redirect/agent'
import { type NetnsTarget, netns } from '@cni/netns'
import { tempNetns } from '@cni/netns/testing'
import { addRuleset } from '@cni/nftables'
import { Batch, openNft } from '@cni/nftables/wire'
import { expect, test } from 'vitest'
import { nativeCaptures, nativeListing } from './goldens/ambient/cases.ts'

const { stdout: version } = spawnSync('nft', ['--version'], { encoding: 'utf8' })
/** The program that the listings were made with. */
const hasNft = typeof version === 'string' && version.includes('v1.0.6')
const noNft = hasNft ? '' : ' (skipped: nft 1.0.6 is not installed)'

const list = (pod: NetnsTarget): string => {
  const { stdout, stderr } = netns.run(pod, () => spawnSync('nft', ['-s', 'list', 'ruleset'], { encoding: 'utf8' }))
  expect(stderr).toBe('')
  return stdout
}

test.skipIf(!hasNft).each(nativeCaptures)(
  `the native rules of "$name" are listed as those of the original${noNft}`,
  async ({ name, capture }) => {
    await using pod = await tempNetns()
    const nft = openNft(pod)
    nft.commit(addRuleset(new Batch(), podTables(capture)))
    nft.close()
    expect(list(pod)).toBe(nativeListing(name))
  },
)

const set = (family: 'v4' | 'v6') => `
	set istio-inpod-probes-${family} {
		type ip${family}_addr
		comment "UUID of the pods that are part of ambient mesh"
	}
`

const hostListing = (sets: string, ...rules: readonly string[]) => `table inet istio-ambient-nat {${sets}
	chain postrouting {
		type nat hook postrouting priority srcnat; policy accept;
${rules.map((rule) => `\t\t${rule}\n`).join('')}	}
}
`

const v4Rule = 'meta l4proto tcp meta skuid 0 ip daddr @istio-inpod-probes-v4 counter snat ip to 169.254.7.127'
const v6Rule =
  'meta l4proto tcp meta skuid 0 ip6 daddr @istio-inpod-probes-v6 counter snat ip6 to fd16:9254:7127:1337:ffff:ffff:ffff:ffff'

test.skipIf(!hasNft).each([
  ['both families', true, hostListing(set('v4') + set('v6'), v4Rule, v6Rule)],
  ['IPv4', false, hostListing(set('v4'), v4Rule)],
])(`the native rules of the node for %s are listed as those of the original${noNft}`, async (_, ipv6, listing) => {
  await using node = await tempNetns()
  const nft = openNft(node)
  nft.commit(addRuleset(new Batch(), hostTables({ ipv6, probeSource: defaultProbeSource, kubeletUid: 0 })))
  nft.close()
  expect(list(node)).toBe(listing)
})
