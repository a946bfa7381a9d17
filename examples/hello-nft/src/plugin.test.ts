import { nftables } from '@cni/nftables'
import { fakeKernel } from '@cni/nftables/testing'
import { testPlugin } from '@cni/skel/testing'
import { describe, expect, it } from 'vitest'
import { plugin, redirectTo } from './plugin.ts'

const tester = testPlugin(plugin, { conf: { port: 15001 } })

describe('the ruleset', () => {
  it('is applied, verified and removed with its table', async () => {
    const nft = fakeKernel().open()
    const tables = nftables('host', { nft })
    await expect(tables.apply(redirectTo(15001, 1337))).resolves.toMatchObject({ plan: 'fresh' })
    await expect(tables.apply(redirectTo(15001, 1337))).resolves.toMatchObject({ plan: 'unchanged' })
    await expect(tables.verify(redirectTo(15002, 1337))).rejects.toThrow('1 missing, 1 unexpected')
    await tables.remove({ tables: [{ family: 'inet', name: 'hello-nft' }] })
    expect(nft.tables()).toEqual([])
  })
})

describe('the plugin', () => {
  it('rejects an invalid port before it opens a namespace', async () => {
    const { exitCode, error } = await tester.add({ conf: { port: 70_000 } })
    expect(exitCode).toBe(1)
    expect(error?.msg).toContain('70000')
  })

  it('requires a prevResult', async () => {
    expect((await tester.add({ prevResult: null })).error).toMatchObject({ code: 7 })
  })
})
