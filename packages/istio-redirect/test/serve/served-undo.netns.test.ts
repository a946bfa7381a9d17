import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { loadSys } from '@cni/netns/sys'
import { describe, expect, test, vi } from 'vitest'
import { meshPod } from '../../src/testing/pods.ts'
import { type Fixture, fixture, prevResult } from '../plugin/fixture.ts'
import { inetTablesIn } from '../stage/tables-in.ts'
import { servingAgent } from './serve-agent.ts'

vi.mock('@cni/skel/daemon', async (original) => (await import('./long-deadline.ts')).withLongDeadline(original))
// The first test starts a thread that loads the agent's sources; on a busy machine that takes ten seconds and more.
vi.setConfig({ testTimeout: 120_000 })

const dualStack = meshPod({ proxy: { env: [{ name: 'ISTIO_DUAL_STACK', value: 'true' }] } })

/** A fault that happens only once the rules of an agent are in the kernel. */
interface Fault {
  readonly what: string
  readonly message: string
  arrange(place: Fixture): Promise<Disposable>
}

const faults: readonly Fault[] = [
  {
    what: 'an address on lo, where IPv6 is switched off, and on no other interface',
    message: 'the IPv6 traffic of the pod cannot be captured',
    async arrange({ inside }) {
      await inside('ip', 'link', 'add', 'eth0', 'type', 'veth', 'peer', 'name', 'eth1')
      await inside('ip', 'address', 'add', 'fd00::3/64', 'dev', 'eth0', 'nodad')
      await inside('sh', '-c', 'echo 1 > /proc/sys/net/ipv6/conf/lo/disable_ipv6')
      return { [Symbol.dispose]() {} }
    },
  },
  {
    what: 'the end of the record, for which there is no room beside its beginning',
    message: 'ENOSPC',
    async arrange({ runDir }) {
      const folder = join(runDir, 'attachments')
      mkdirSync(folder)
      loadSys().mount('tmpfs', folder, 'tmpfs', 0, 'mode=0700,nr_inodes=2')
      return { [Symbol.dispose]: () => loadSys().umount2(folder, 0) }
    },
  },
]

describe.each(faults)('ADD takes back the rules of an agent after a later failure: $what', (fault) => {
  test.each([
    ['iptables', {}],
    ['native', { native_nftables: true }],
  ])('%s', async (_, kind) => {
    await using place = await fixture(dualStack)
    await using agent = await servingAgent(place.runDir, [dualStack])
    using _fault = await fault.arrange(place)
    const conf = { prevResult: prevResult('10.1.2.3/24', 'fd00::3/64'), ...kind }
    const { exitCode, stdout } = await place.call('ADD', { conf })
    await vi.waitUntil(() => agent.answers.length > 0, { timeout: 5000 })
    expect(agent.answers).toEqual(['redirect'])
    expect(exitCode).toBe(1)
    expect(stdout).toContain(fault.message)
    expect(await place.rules()).not.toContain('-A ')
    expect(inetTablesIn(place.netns)).toEqual([])
    expect(await place.inside('ip', '-6', 'address', 'show', 'dev', 'lo')).not.toContain('::6/128')
    expect(place.state()).toEqual([])
  })

  test('without log lines at plugin_log_level none', async () => {
    await using place = await fixture(dualStack)
    await using agent = await servingAgent(place.runDir, [dualStack])
    using _fault = await fault.arrange(place)
    const conf = { prevResult: prevResult('10.1.2.3/24', 'fd00::3/64'), plugin_log_level: 'none' }
    const { exitCode, log } = await place.call('ADD', { conf })
    await vi.waitUntil(() => agent.answers.length > 0, { timeout: 5000 })
    expect(agent.answers).toEqual(['redirect'])
    expect({ exitCode, log }).toEqual({ exitCode: 1, log: [] })
  })
})
