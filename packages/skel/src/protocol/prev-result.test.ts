import { definePlugin } from '@cni/skel'
import { testPlugin } from '@cni/skel/testing'
import { describe, expect, it } from 'vitest'

const chained = testPlugin(definePlugin({ name: 'c', chained: true, add: (c) => c.prevResult, check() {} }))
const first = testPlugin(
  definePlugin({ name: 'f', add: (c) => ({ dns: { domain: c.prevResult === undefined ? 'none' : 'some' } }) }),
)
const ips = [{ address: '10.0.0.1/24' }]

describe('prevResult', () => {
  it.each([
    ['1.1.0', { cniVersion: '1.1.0', ips }, { cniVersion: '1.1.0', ips }],
    ['1.1.0', { ips }, { cniVersion: '1.1.0', ips }],
    ['1.1.0', { cniVersion: '1.0.0', ips }, { cniVersion: '1.1.0', ips }],
    ['1.1.0', { cniVersion: '0.4.0', ips: [{ version: '4', ...ips[0] }] }, { cniVersion: '1.1.0', ips }],
    ['0.3.1', { cniVersion: '0.4.0', ips: [{ version: '4', ...ips[0] }] }, { cniVersion: '0.3.1' }],
    ['0.3.1', { ips: [{ version: '4', ...ips[0] }] }, { cniVersion: '0.3.1' }],
    ['0.4.0', { cniVersion: '', ips: [{ version: '4', ...ips[0] }] }, { cniVersion: '0.4.0' }],
    ['', { ip4: { ip: '10.0.0.1/24' } }, { cniVersion: '0.1.0', ip4: { ip: '10.0.0.1/24' }, dns: {} }],
    ['1.1.0', {}, { cniVersion: '1.1.0' }],
  ])('with cniVersion %j, %j is passed on in that version', async (cniVersion, prevResult, printed) => {
    const { exitCode, stdout } = await chained.add({ conf: { cniVersion }, prevResult })
    expect(exitCode).toBe(0)
    expect(JSON.parse(stdout)).toMatchObject(printed)
  })

  it.each([[[]], ['x'], [5], [{ ips: 'x' }], [{ cniVersion: 5 }]])(
    '%j is rejected with code 999, also for a chained plugin',
    async (prevResult) => {
      for (const tester of [first, chained]) {
        const { error } = await tester.add({ prevResult })
        expect(error).toMatchObject({ code: 999, msg: expect.stringMatching(/^could not parse prevResult: /) })
      }
    },
  )

  it('null counts as missing', async () => {
    const conf = '{"cniVersion":"1.1.0","name":"n","prevResult":null}'
    expect((await first.add({ conf })).result?.dns?.domain).toBe('none')
    expect((await first.add({ prevResult: {} })).result?.dns?.domain).toBe('some')
  })

  it('fails a chained plugin with code 7 and a hint if it is missing', async () => {
    for (const verb of ['ADD', 'CHECK']) {
      expect((await chained.run(verb, { prevResult: null })).error).toMatchObject({
        code: 7,
        msg: 'prevResult: missing, c is a chained plugin',
        details: 'it must not be the first in the list of plugins',
      })
    }
  })

  it('is printed as received if it is returned unchanged, with unknown members, order and all digits', async () => {
    const received =
      '{"ips":[{"address":"10.0.0.1/24","x":12345678901234567890}],"cniVersion":"1.1.0","zeta":1.0,"alpha":[null,"\\u00e9"]}'
    const conf = `{"cniVersion":"1.1.0","name":"n","prevResult":{"cniVersion":"1.1.0"},"prevResult" : ${received} }`
    expect((await chained.add({ conf })).stdout).toBe(received)
  })

  it('keeps unknown members if it is changed', async () => {
    const plugin = definePlugin({
      name: 'c',
      chained: true,
      add: (c) => ({ ...c.prevResult, dns: { domain: 'cluster.local' } }),
    })
    const { stdout } = await testPlugin(plugin).add({ prevResult: { cniVersion: '1.1.0', ips, extra: { a: 1 } } })
    expect(JSON.parse(stdout)).toEqual({
      cniVersion: '1.1.0',
      ips,
      extra: { a: 1 },
      dns: { domain: 'cluster.local' },
    })
  })

  it('is frozen, because a change in place would not be printed', async () => {
    const plugin = definePlugin({
      name: 'c',
      chained: true,
      add(c) {
        // @ts-expect-error: the type says so as well
        c.prevResult.ips?.push({ address: '10.0.0.9/24' })
        return c.prevResult
      },
    })
    expect((await testPlugin(plugin).add()).error?.code).toBe(999)
  })
})
