import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { type Netns, netns } from '@cni/netns'
import { ownedNetns, tempNetns } from '@cni/netns/testing'
import { openNft } from '@cni/nftables/wire'
import { describe, expect, onTestFinished, test } from 'vitest'
import { iptables } from '../../src/iptables.ts'
import { ruleset } from '../../src/rules/ruleset.ts'
import { chain, commit, disturbance, disturbed, held, node, recording, rules } from './interference.ts'

describe('programs write', () => {
  test('if the kernel lacks nfnetlink', async () => {
    await using pod = await tempNetns()
    const ran: string[] = []
    const port = { ...recording(pod, ran), nfnetlink: () => undefined }
    const ipt = iptables(pod, { backend: 'iptables-nft', port })
    await ipt.apply(rules)
    await ipt.verify(rules)
    expect(ran).toContain('ip6tables-nft-restore')
    await ipt.remove(rules)
    expect(await held(pod)).not.toContain('EX_')
  })

  test('if the namespace belongs to another user namespace, which must write users', async () => {
    await using pod = await ownedNetns()
    const ran: string[] = []
    const ipt = iptables(pod, { backend: 'iptables-nft', port: recording(pod, ran) })
    await ipt.apply(rules)
    await ipt.verify(rules)
    expect(ran).toContain('iptables-nft-restore')
    await expect(iptables(pod, { backend: 'iptables-nft', programs: 'never' }).apply(rules)).rejects.toMatchObject({
      code: 'NO_BINARY',
      message: expect.stringMatching(/the namespace belongs to another user namespace/),
    })
    await ipt.verify(rules)
  })

  test('rules that netlink cannot encode, around foreign rules that netlink cannot decode', async () => {
    await using pod = await tempNetns()
    await netns.exec(pod, ['iptables-nft', '-t', 'nat', '-A', 'OUTPUT', '-p', 'udp', '-j', 'RETURN'])
    await netns.exec(pod, ['iptables-nft', '-A', 'FORWARD', '-m', 'length', '--length', '1:9', '-j', 'DROP'])
    const before = await held(pod)
    const ipt = iptables(pod, { backend: 'iptables-nft' })
    const read = iptables(pod, { backend: 'iptables-nft', programs: 'always' })
    const snapshot = await read.snapshot()
    await netns.exec(pod, ['iptables-nft', '-F', 'FORWARD'])
    await ipt.restore(snapshot)
    expect(await held(pod)).toBe(before)
    await netns.exec(pod, ['iptables-nft', '-I', 'FORWARD', '-m', 'length', '--length', '1:5', '-j', 'DROP'])
    await ipt.restore(snapshot)
    expect(await held(pod)).toBe(before)
  })
})

test('a concurrent writer causes no failure, and its rules stay', async () => {
  await using pod = await tempNetns()
  await iptables(pod, { backend: 'iptables-nft', port: disturbed(pod, 3) }).apply(rules)
  await iptables(pod, { backend: 'iptables-nft' }).verify(rules)
  expect((await held(pod)).match(disturbance)).toHaveLength(1)
})

test('foreign chains with the name of a built-in one do not count as own rules', async () => {
  await using pod = await tempNetns()
  const jump = ruleset({ nat: ['EX'] }, (t) => [t.nat.on('OUTPUT').jump('EX'), t.nat.on('EX').return()])
  const ipt = iptables(pod, { backend: 'iptables-nft' })
  await ipt.apply(jump)
  commit(pod, (batch) => batch.deleteRule({ ...chain('OUTPUT'), handle: handlesIn(pod, 'OUTPUT')[0] ?? 0n }))
  commit(pod, (batch) => {
    batch.deleteChain(chain('OUTPUT'))
    batch.addChain(chain('OUTPUT'))
    batch.addRule({
      ...chain('OUTPUT'),
      expressions: [{ name: 'immediate', dreg: 0, data: { verdict: 'jump', chain: 'EX' } }],
    })
  })
  await expect(ipt.verify(jump)).rejects.toMatchObject({ code: 'DRIFT' })
  await expect(ipt.apply(jump)).rejects.toMatchObject({ code: 'REFUSED' })
})

test('a process killed at any time has written all of a ruleset, in both families, or nothing', {
  timeout: 120_000,
}, async () => {
  await using pod = await tempNetns()
  const code = `
    import { iptables, ruleset } from '@cni/iptables'
    const names = Array.from({ length: 60 }, (_, i) => 'EX_' + i)
    const rules = ruleset({ nat: names, mangle: names }, (t) => ['nat', 'mangle'].flatMap((table) =>
      names.flatMap((name) => [t[table].on('OUTPUT').jump(name), t[table].on(name).proto('tcp').return()])))
    const ipt = iptables('host', { backend: 'iptables-nft', programs: 'never' })
    for (let round = 0; ; round++) {
      await ipt.apply(rules)
      await ipt.remove(rules)
      if (round === 0) process.stdout.write('ready')
    }
  `
  for (let round = 0; round < 6; round++) {
    const [program, ...argv] = node(code)
    const { child } = netns.run(pod, () => ({
      child: spawn(program, argv, { cwd: import.meta.dirname, stdio: ['ignore', 'pipe', 'inherit'] }),
    }))
    // Kills the child even if the test stops early.
    onTestFinished(() => void child.kill('SIGKILL'))
    const ended = once(child, 'close')
    await once(child.stdout, 'data')
    // Kills at different points of the child's loop: after a different number of reads each time.
    for (let look = 0; look < round; look++) await held(pod)
    child.kill('SIGKILL')
    await ended
    const count = (await held(pod)).match(/^-A /gm)?.length ?? 0
    expect([0, 2 * 2 * 120]).toContain(count)
  }
})

function handlesIn(pod: Netns, name: string): bigint[] {
  using nft = openNft(pod)
  return nft.rules(chain(name)).map(({ handle }) => handle)
}
