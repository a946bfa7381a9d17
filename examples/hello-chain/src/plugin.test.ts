import { restoreText } from '@cni/iptables/rules'
import { fakeIptables } from '@cni/iptables/testing'
import { testPlugin } from '@cni/skel/testing'
import { describe, expect, it } from 'vitest'
import { plugin, redirectTo } from './plugin.ts'

const tester = testPlugin(plugin, { conf: { port: 15001 } })

describe('the ruleset', () => {
  it('is equal for both families, except for the address', () => {
    const lines = (family: 'ipv4' | 'ipv6') => restoreText(redirectTo(15001, 1337), family).split('\n')
    expect(lines('ipv4')).toEqual([
      '*nat',
      '-N EX_OUTPUT',
      '-N EX_REDIRECT',
      '-A OUTPUT -p tcp -j EX_OUTPUT',
      '-A EX_OUTPUT -m owner --uid-owner 1337 -j RETURN',
      '-A EX_OUTPUT ! -d 127.0.0.1/32 -j EX_REDIRECT',
      '-A EX_REDIRECT -p tcp -j REDIRECT --to-ports 15001',
      'COMMIT',
      '',
    ])
    expect(lines('ipv6')).toEqual(lines('ipv4').map((line) => line.replace('127.0.0.1/32', '::1/128')))
  })

  it('is applied, verified and removed by its prefix', async () => {
    const fake = fakeIptables()
    await fake.apply(redirectTo(15001, 1337))
    await fake.verify(redirectTo(15001, 1337))
    await expect(fake.verify(redirectTo(15002, 1337))).rejects.toThrow()
    await fake.removeChains('EX_')
    expect(fake.dump()).not.toContain('EX_')
  })
})

describe('the plugin', () => {
  it.each([
    ['80;', 'port: expected a positive integer, got "80;"'],
    [-1, 'port: expected a positive integer, got -1'],
    ['80\n-j ACCEPT', 'port: expected a positive integer, got "80\\n-j ACCEPT"'],
    [undefined, 'port: missing, expected a positive integer'],
  ])('rejects port %j by name and value', async (port, msg) => {
    const { exitCode, error } = await tester.add({ conf: { port } })
    expect({ exitCode, error }).toEqual({ exitCode: 1, error: { cniVersion: '1.1.0', code: 7, msg } })
  })

  it('rejects an invalid port before it opens a namespace', async () => {
    const { exitCode, error } = await tester.add({ conf: { port: 70000 } })
    expect(exitCode).toBe(1)
    expect(error?.msg).toContain('70000')
  })

  it('requires a prevResult', async () => {
    expect((await tester.add({ prevResult: null })).error).toMatchObject({
      code: 7,
      msg: expect.stringContaining('prevResult'),
    })
    expect((await tester.check({ prevResult: null })).error).toMatchObject({ code: 7 })
  })

  it("never changes the node's own namespace", async () => {
    expect((await tester.add({ netns: 'host' })).error?.code).toBe(8)
    expect(await tester.del({ netns: 'host' })).toMatchObject({ exitCode: 0, stdout: '' })
  })

  it.each(['missing', 'none'] as const)('DEL succeeds if the pod is gone (%s)', async (netns) => {
    expect(await tester.del({ netns, conf: { port: '80;' }, prevResult: null })).toMatchObject({
      exitCode: 0,
      stdout: '',
    })
  })

  it('supports every version of the specification', async () => {
    const { stdout } = await tester.version()
    expect(JSON.parse(stdout).supportedVersions).toEqual([
      '0.1.0',
      '0.2.0',
      '0.3.0',
      '0.3.1',
      '0.4.0',
      '1.0.0',
      '1.1.0',
    ])
  })
})
