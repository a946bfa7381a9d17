import { use } from '@cni/skel'
import { memoryStateFolder, testPlugin } from '@cni/skel/testing'
import { describe, expect, it } from 'vitest'
import { whoIs } from './plugin.ts'
import { registry } from './registry.ts'

const args = { K8S_POD_NAMESPACE: 'shop', K8S_POD_NAME: 'web-0' }
const prevResult = { cniVersion: '1.1.0', ips: [{ address: '10.42.0.5/24' }, { address: 'fd00:0::5/64' }] }

function remembering() {
  const known = registry()
  const state = memoryStateFolder()
  return { known, state, tester: testPlugin(whoIs(known, '/run/who-is/attachments'), { state, args, prevResult }) }
}

describe('the plugin of the daemon', () => {
  it('finds a pod by each of its addresses, in any notation, from ADD to DEL', async () => {
    const { known, tester } = remembering()
    const { result } = await tester.add({ containerID: 'c1' })
    expect(result?.ips).toHaveLength(2)
    const pod = { namespace: 'shop', name: 'web-0' }
    for (const address of ['10.42.0.5', 'fd00::5', 'FD00:0:0::5']) {
      expect(known.whoIs(address)).toMatchObject([{ containerID: 'c1', ifName: 'eth0', network: 'test', pod }])
    }
    for (const other of ['10.42.0.6', '10.42.0.5;', '']) expect(known.whoIs(other)).toEqual([])
    await tester.del({ containerID: 'c1' })
    expect(known.whoIs('10.42.0.5')).toEqual([])
  })

  it('finds both pods if two networks leased the same address', async () => {
    const { known, tester } = remembering()
    for (const name of ['blue', 'green']) await tester.add({ conf: { name } })
    expect(known.whoIs('10.42.0.5').map(({ network }) => network)).toEqual(['blue', 'green'])
  })

  it('CHECK fails with code 100 for an unknown container', async () => {
    const { tester } = remembering()
    expect((await tester.check()).error).toMatchObject({ code: 100, msg: expect.stringContaining('test-container') })
    await tester.add()
    expect((await tester.check()).exitCode).toBe(0)
  })

  it('GC removes invalid attachments in memory and on disk, in its network only', async () => {
    const { known, state, tester } = remembering()
    await tester.add({ containerID: 'gone' })
    await tester.add({ containerID: 'alive' })
    await tester.add({ containerID: 'elsewhere', conf: { name: 'other' } })
    await tester.gc({ validAttachments: [{ containerID: 'alive', ifname: 'eth0' }] })
    expect(known.whoIs('10.42.0.5').map(({ containerID }) => containerID)).toEqual(['alive', 'elsewhere'])
    expect(state.files.size).toBe(2)
  })

  it('an ADD that fails later keeps the previous state', async () => {
    const { known, state, tester } = remembering()
    await tester.add()
    const failing = use(whoIs(known, '/run/who-is/attachments'), async (_, next) => {
      await next()
      throw new Error('later')
    })
    expect((await testPlugin(failing, { state }).add()).exitCode).toBe(1)
    expect(known.whoIs('10.42.0.5')).toHaveLength(1)
    expect(known.whoIs('10.1.2.3')).toEqual([])
    expect([...state.files.values()]).toEqual([expect.stringContaining('10.42.0.5')])
  })
})
