import { iptables, ruleset } from '@cni/iptables'
import { netns } from '@cni/netns'
import { tempNetns } from '@cni/netns/testing'
import { expect, test } from 'vitest'
import { capture } from './capture.ts'

test('rules are written without programs, and programs can read them', async () => {
  await using pod = await tempNetns()
  expect(await capture(pod)).toBe('fresh')
  expect(await capture(pod)).toBe('unchanged')
  for (const program of ['iptables-nft-save', 'ip6tables-nft-save']) {
    const { stdout } = await netns.exec(pod, [program])
    expect(stdout).toContain('-A EX_OUTPUT -m owner --uid-owner 1337 -j RETURN\n')
    expect(stdout.replaceAll(/^#.*\n/gm, '')).toContain(
      (await iptables(pod, { programs: 'never' }).save(program.startsWith('ip6') ? 'ipv6' : 'ipv4'))
        .split('\n')
        .filter((line) => line.startsWith('-A'))
        .join('\n'),
    )
  }
})

test('a rule that needs a program is rejected, and nothing is written', async () => {
  await using pod = await tempNetns()
  const rules = ruleset({ filter: ['EX'] }, ({ filter }) => [
    filter.on('INPUT').jump('EX'),
    filter.on('EX').raw('-m', 'length', '--length', '100:200').drop(),
  ])
  await expect(iptables(pod, { programs: 'never' }).apply(rules)).rejects.toMatchObject({
    code: 'NO_BINARY',
    message: expect.stringContaining("programs: 'never'"),
  })
  expect((await netns.exec(pod, ['iptables-nft-save'])).stdout).not.toContain('EX')
})
