import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { openNft } from '@cni/nftables/wire'
import { describe, expect, test, vi } from 'vitest'
import { meshPod } from '../../src/testing/pods.ts'
import { servingAgent } from '../serve/serve-agent.ts'
import { inetTablesIn } from '../stage/tables-in.ts'
import { type Fixture, fixture, prevResult } from './fixture.ts'

vi.mock('@cni/skel/daemon', async (original) => (await import('../serve/long-deadline.ts')).withLongDeadline(original))
// The first test starts a thread that loads the agent's sources; on a busy machine that takes ten seconds and more.
vi.setConfig({ testTimeout: 120_000 })

const native = { native_nftables: true }
const pod = meshPod({ proxy: { env: [{ name: 'ISTIO_DUAL_STACK', value: 'true' }] } })
const dualStack = { prevResult: prevResult('10.1.2.3/24', 'fd00::3/64') }

/** The back ends of our rules that apply to the pod's packets. */
async function kinds(place: Fixture): Promise<string[]> {
  const chains = (await place.rules()).includes('ISTIO_') ? ['iptables'] : []
  return inetTablesIn(place.netns).includes('istio-proxy-nat') ? [...chains, 'native'] : chains
}

/** The rules in a fixed order of chains. */
const ruled = (text: string) =>
  text
    .split('\n')
    .filter((line) => /^\t\t(?!type )/.test(line))
    .sort()

describe('rules without a record', () => {
  const turns = [
    ['iptables after native', native, {}, 'iptables'],
    ['native after iptables', {}, native, 'native'],
  ] as const

  test.each(turns)('are removed when rules of the other kind are written: %s', async (_, first, second, kind) => {
    await using place = await fixture(pod)
    await place.call('ADD', { conf: { ...first } })
    rmSync(join(place.runDir, 'attachments'), { recursive: true })
    expect((await place.call('ADD', { conf: { ...second } })).exitCode).toBe(0)
    expect(await kinds(place)).toEqual([kind])
  })

  test.each(turns)('are removed when an agent decides: %s', async (_, first, second, kind) => {
    await using place = await fixture(pod)
    await place.call('ADD', { conf: { ...first } })
    rmSync(join(place.runDir, 'attachments'), { recursive: true })
    await using agent = await servingAgent(place.runDir, [pod])
    expect((await place.call('ADD', { conf: { ...second } })).exitCode).toBe(0)
    await vi.waitUntil(() => agent.answers.length > 0, { timeout: 5000 })
    expect(await kinds(place)).toEqual([kind])
    expect(place.state()).toMatchObject([{ applied: true }])
  })

  test.each(turns)('are restored when the write fails: %s', async (_, first, second) => {
    await using place = await fixture(pod)
    await place.call('ADD', { conf: { ...first } })
    rmSync(join(place.runDir, 'attachments'), { recursive: true })
    const before = await place.inside('nft', 'list', 'ruleset')
    // IPv6 rules need an address on lo. This link makes adding it fail.
    await place.inside('ip', 'link', 'add', 'eth0', 'type', 'veth', 'peer', 'name', 'eth1')
    await place.inside('ip', 'address', 'add', 'fd00::3/64', 'dev', 'eth0', 'nodad')
    await place.inside('sh', '-c', 'echo 1 > /proc/sys/net/ipv6/conf/lo/disable_ipv6')
    const { exitCode, stdout } = await place.call('ADD', { conf: { ...second, ...dualStack } })
    expect([exitCode, stdout]).toEqual([1, expect.stringContaining('the IPv6 traffic of the pod cannot be captured')])
    expect(ruled(await place.inside('nft', 'list', 'ruleset'))).toEqual(ruled(before))
  })
})

test('nf_tables without changes has generation 1', async () => {
  await using place = await fixture(pod)
  using nft = openNft(place.netns)
  expect(nft.generation()).toBe(1)
})
