import type { Netns } from '@cni/netns/handle'
import { CniError } from '@cni/types'
import { describe, expect, it } from 'vitest'
import { definePlugin, type Plugin } from '../definition/plugin.ts'
import type { PluginIo } from '../io.ts'
import { runPlugin } from '../run.ts'
import { fakeNetns } from '../testing/fake-netns.ts'

const ENV = { CNI_COMMAND: 'ADD', CNI_CONTAINERID: 'c', CNI_NETNS: '/x', CNI_IFNAME: 'eth0', CNI_PATH: '/bin' }
const netns = { open: (path: string): Netns => fakeNetns(path, 2), current: () => fakeNetns('/own', 1) }
const run = (plugin: Plugin, io: Partial<PluginIo>) =>
  runPlugin(plugin, { env: ENV, stdin: () => '{"cniVersion":"1.1.0","name":"n"}', netns, ...io })

const full = () => {
  throw new CniError(5, 'no space left')
}

describe('a result that cannot be written', () => {
  it('fails the ADD, which is undone', async () => {
    const done: string[] = []
    const plugin = definePlugin({
      name: 'p',
      add(c) {
        c.undo(() => done.push('undone'))
        return {}
      },
    })
    const { exitCode, stdout, stderr } = await run(plugin, { stdout: full })
    expect([exitCode, JSON.parse(stdout).code, done]).toEqual([1, 5, ['undone']])
    expect(stderr).toContain('no space left')
    const written: string[] = []
    const outcome = await run(plugin, { stdout: (text) => void written.push(text) })
    expect([outcome.exitCode, written, done]).toEqual([0, [outcome.stdout], ['undone']])
  })

  it('undoes the ADD if the runtime does not read it before the deadline', async () => {
    const done: string[] = []
    const plugin = definePlugin({
      name: 'p',
      timeout: 50,
      add(c) {
        c.undo(() => done.push('undone'))
        return {}
      },
    })
    const { exitCode, stdout } = await run(plugin, { stdout: () => new Promise(() => {}) })
    expect([exitCode, JSON.parse(stdout).code, done]).toEqual([1, 11, ['undone']])
  })
})
