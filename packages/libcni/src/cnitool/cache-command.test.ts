import { describe, expect, test } from 'vitest'
import { cnitoolWorld, result } from '../../test/cnitool-world.ts'
import { containerIDOf } from './settings.ts'

const world = cnitoolWorld()
const { cnitool } = world
const id = containerIDOf('/ns/1')

describe('cache list', () => {
  test('prints a line for each attachment', async () => {
    await cnitool(['add', 'pods', '/ns/1'])
    await cnitool(['add', 'pods', '/ns/1', '-i', 'net1'])
    const { stdout, log } = await cnitool(['cache', 'list'])
    expect(stdout).toBe(
      `NETWORK  ID/IFNAME${' '.repeat(id.length - 4)}  NETNS  ADDRESSES
pods     ${id}/eth0  /ns/1  10.0.0.2/24
pods     ${id}/net1  /ns/1  10.0.0.2/24
`,
    )
    expect(log).toEqual([])
  })

  test('prints one network if it is given', async () => {
    await cnitool(['add', 'pods', '/ns/1'])
    expect((await cnitool(['cache', 'list', 'pods'])).stdout).toContain(id)
    expect((await cnitool(['cache', 'list', 'other'])).stdout).not.toContain(id)
  })

  test('reports unreadable files', async () => {
    const torn = world.temp.write('cache/results/net-c1-eth0', '')
    const bare = world.temp.write('cache/results/old-c1-eth0', '{"cniVersion":"0.2.0"}')
    const { exitCode, stdout } = await cnitool(['cache', 'list'])
    expect(exitCode).toBe(0)
    expect(stdout).toBe(
      `no cached attachments in ${world.temp.dir}/cache\n` +
        `unreadable: ${torn}: not a cache file: it is empty\n` +
        `unreadable: ${bare}: not a cache file of this kind: a bare result, from before 2019\n`,
    )
  })

  test('prints a document with --json', async () => {
    await cnitool(['add', 'pods', '/ns/1'])
    world.temp.write('cache/results/net-c1-eth0', '')
    expect(JSON.parse((await cnitool(['cache', 'list', '--json'])).stdout)).toMatchObject({
      attachments: [{ network: 'pods', containerID: id, ifName: 'eth0', netns: '/ns/1', addresses: ['10.0.0.2/24'] }],
      problems: [{ problem: 'not a cache file: it is empty' }],
    })
  })

  test('prints nothing for a missing folder', async () => {
    expect(await cnitool(['cache', 'list'])).toMatchObject({
      exitCode: 0,
      stdout: expect.stringMatching(/^no cached attachments in /),
    })
  })
})

describe('cache show', () => {
  test.each([id, `${id}/eth0`, '/ns/1', '../../ns/1'])('%s prints an attachment', async (wanted) => {
    await cnitool(['add', 'pods', '/ns/1'], { env: { CNI_ARGS: 'A=1' } })
    const { stdout } = await cnitool(['cache', 'show', wanted])
    expect(JSON.parse(stdout)).toMatchObject({
      file: `${world.temp.dir}/cache/results/pods-${id}-eth0`,
      network: 'pods',
      netns: '/ns/1',
      args: [['A', '1']],
      config: { name: 'pods', plugins: [{ type: 'a' }, { type: 'b' }] },
      result,
    })
    expect(JSON.parse((await cnitool(['cache', 'show', wanted, '--json'])).stdout)).toHaveLength(1)
  })

  test('fails for an unknown attachment and names the cache folder', async () => {
    const { exitCode, stderr } = await cnitool(['cache', 'show', `${id}/eth9`])
    expect(exitCode).toBe(1)
    expect(stderr).toContain(`no cached attachment "${id}/eth9" in `)
    expect(stderr).toContain("Hint: 'cnitool cache list' prints all")
  })
})
