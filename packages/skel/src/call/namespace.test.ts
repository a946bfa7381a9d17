import { symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { open } from '@cni/netns/handle'
import { type TestOutcome, testPlugin } from '@cni/skel/testing'
import { CNI_VERSIONS } from '@cni/types'
import { describe, expect, it } from 'vitest'
import { call, recorder } from '../../test/recorder.ts'
import { tempFolder } from '../../test/temp-folder.ts'

const CONF = '{"cniVersion":"1.1.0","name":"a"}'
const OWN = "plugin's netns and netns from CNI_NETNS should not be the same"

describe('the network namespace', () => {
  it.each(['', '0', 'yes', undefined])(
    "ADD rejects the plugin's own namespace (CNI_NETNS_OVERRIDE=%j)",
    async (CNI_NETNS_OVERRIDE) => {
      const { plugin, calls } = recorder()
      const { error } = await call(plugin, { CNI_NETNS: '/own', CNI_NETNS_OVERRIDE }, CONF)
      expect(error).toMatchObject({ code: 8, msg: OWN })
      expect(calls).toEqual([])
    },
  )

  it.each(['1', 'true', 'True', 'TRUE'])(
    'ADD and DEL accept it on request (CNI_NETNS_OVERRIDE=%s)',
    async (CNI_NETNS_OVERRIDE) => {
      for (const CNI_COMMAND of ['ADD', 'DEL']) {
        const { plugin, calls } = recorder()
        await call(plugin, { CNI_COMMAND, CNI_NETNS: '/own', CNI_NETNS_OVERRIDE }, CONF)
        expect(calls).toMatchObject([{ verb: CNI_COMMAND, netns: '/own' }])
      }
    },
  )

  it("DEL treats the plugin's own namespace as a removed one: the handler gets undefined and the log says why", async () => {
    const { plugin, calls } = recorder()
    const { exitCode, stdout, stderr } = await call(plugin, { CNI_COMMAND: 'DEL', CNI_NETNS: '/own' }, CONF)
    expect({ exitCode, stdout }).toEqual({ exitCode: 0, stdout: '' })
    expect(calls).toMatchObject([{ verb: 'DEL', netns: undefined }])
    expect(stderr).toContain('own network namespace')
  })

  it("CHECK accepts the plugin's own namespace, because it changes nothing", async () => {
    const { plugin, calls } = recorder()
    await call(plugin, { CNI_COMMAND: 'CHECK', CNI_NETNS: '/own' }, CONF)
    expect(calls).toMatchObject([{ verb: 'CHECK', netns: '/own' }])
  })

  it.each(['ADD', 'CHECK'])('%s fails with code 8 and names the path if nothing is there', async (CNI_COMMAND) => {
    const { plugin, calls } = recorder()
    const { error } = await call(plugin, { CNI_COMMAND, CNI_NETNS: '/gone/pod' }, CONF)
    expect(error).toMatchObject({ code: 8, msg: 'CNI_NETNS: nothing at /gone/pod', details: '/gone/pod' })
    expect(calls).toEqual([])
  })

  it.each(['', '/gone/pod'])('DEL with CNI_NETNS=%j runs without a namespace', async (CNI_NETNS) => {
    const { plugin, calls } = recorder()
    const { exitCode } = await call(plugin, { CNI_COMMAND: 'DEL', CNI_NETNS }, CONF)
    expect(exitCode).toBe(0)
    expect(calls).toMatchObject([{ verb: 'DEL', netns: undefined }])
  })

  it('is closed at the end of the call, also after an error', async () => {
    for (const end of [() => ({}), () => Promise.reject(new Error('boom'))]) {
      const handles: Array<{ readonly fd: number }> = []
      const { plugin } = recorder({
        add: async (c) => {
          handles.push(c.netns)
          return end()
        },
      })
      await call(plugin, {}, CONF)
      expect(handles).toHaveLength(1)
      expect(() => handles[0]?.fd).toThrow(/closed/i)
    }
  })

  it('is opened on the machine by default', async () => {
    const { plugin } = recorder({ versions: CNI_VERSIONS })
    const { runPlugin } = await import('@cni/skel')
    const { stdout } = await runPlugin(plugin, {
      env: {
        CNI_COMMAND: 'ADD',
        CNI_CONTAINERID: 'a',
        CNI_IFNAME: 'eth0',
        CNI_PATH: '/',
        CNI_NETNS: '/proc/self/ns/net',
      },
      stdin: () => CONF,
    })
    expect(JSON.parse(stdout)).toMatchObject({ code: 8, msg: OWN })
  })

  it.each([
    ['nothing is there', 'gone', 'info the network namespace is gone'],
    ['it is a file', 'file', 'info the network namespace is gone'],
    ['it is a folder', '', 'info the network namespace is gone'],
    ['it cannot be followed', 'loop', 'warn the network namespace cannot be opened: it counts as gone'],
  ])('DEL logs why a path is not a namespace: %s', async (_title, name, line) => {
    const folder = tempFolder()
    writeFileSync(join(folder, 'file'), '')
    symlinkSync('loop', join(folder, 'loop'))
    const { plugin, calls } = recorder()
    // A real namespace in the options makes testPlugin open paths on the machine.
    using real = open('/proc/self/ns/net')
    const { exitCode, log } = await testPlugin(plugin).del({ netns: real, env: { CNI_NETNS: join(folder, name) } })
    expect([exitCode, log.map(({ level, msg }) => `${level} ${msg}`)]).toEqual([0, [line]])
    expect(calls).toMatchObject([{ verb: 'DEL', netns: undefined }])
  })

  it('counts as removed if testPlugin gets a missing one', async () => {
    const { plugin } = recorder()
    const [fake, real] = [
      await testPlugin(plugin).del({ netns: 'missing' }),
      await testPlugin(plugin).del({
        netns: open('/proc/self/ns/net'),
        env: { CNI_NETNS: '/run/netns/cni-test-missing' },
      }),
    ]
    const said = ({ log }: TestOutcome) => log.map(({ level, msg }) => `${level} ${msg}`)
    expect(said(fake)).toEqual(['info the network namespace is gone'])
    expect(said(real)).toEqual(said(fake))
  })
})
