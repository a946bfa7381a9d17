import { definePlugin, netConf } from '@cni/skel'
import { testPlugin } from '@cni/skel/testing'
import { describe, expect, it } from 'vitest'
import * as z from 'zod/mini'

const add = () => ({})

describe('the context', () => {
  it('has the pod, and CNI_ARGS as a map of the tolerant parser', async () => {
    let seen: unknown
    const plugin = definePlugin({
      name: 'p',
      add(c) {
        seen = { args: [...c.args], k8s: c.k8s, plugin: c.plugin, networkName: c.networkName }
        return {}
      },
    })
    await testPlugin(plugin).add({
      args: 'IgnoreUnknown=1;K8S_POD_UID=u;K8S_POD_NAMESPACE=demo;K8S_POD_NAME=web;X=a=b;junk;',
    })
    expect(seen).toEqual({
      args: [
        ['IgnoreUnknown', '1'],
        ['K8S_POD_UID', 'u'],
        ['K8S_POD_NAMESPACE', 'demo'],
        ['K8S_POD_NAME', 'web'],
        ['X', 'a=b'],
      ],
      k8s: { namespace: 'demo', name: 'web', uid: 'u' },
      plugin: 'p',
      networkName: 'test',
    })
  })

  it('GC gets the valid attachments, also under the earlier member name', async () => {
    const seen: unknown[] = []
    const plugin = definePlugin({ name: 'p', add, gc: (c) => void seen.push(c.validAttachments) })
    const attachment = { containerID: 'a', ifname: 'eth0' }
    const stdin = (members: object): string => JSON.stringify({ cniVersion: '1.1.0', name: 'n', ...members })
    const tester = testPlugin(plugin)
    await tester.gc({ validAttachments: [attachment] })
    await tester.gc({ conf: stdin({ 'cni.dev/attachments': [attachment] }) })
    await tester.gc({ conf: stdin({ 'cni.dev/valid-attachments': null }) })
    await tester.gc({ conf: stdin({}) })
    expect(seen).toEqual([[attachment], [attachment], [], undefined])
  })

  it.each([
    ['text', 'cni.dev/valid-attachments: expected a list, got "text"'],
    [[{ containerID: 'a' }], 'cni.dev/valid-attachments[0]: expected an object with containerID and ifname'],
    [[{ containerID: 'a', ifname: 'b' }, null], 'cni.dev/valid-attachments[1]: expected an object'],
  ])('GC rejects a malformed list, because its attachments would count as stale (%j)', async (list, msg) => {
    let called = false
    const plugin = definePlugin({
      name: 'p',
      add,
      gc() {
        called = true
      },
    })
    const { error } = await testPlugin(plugin).gc({ conf: { 'cni.dev/valid-attachments': list } })
    expect(error).toMatchObject({ code: 7, msg: expect.stringContaining(msg) })
    expect(called).toBe(false)
  })

  it('DEL gets no configuration if members are invalid, and the log says why', async () => {
    const seen: unknown[] = []
    const plugin = definePlugin({
      name: 'p',
      chained: true,
      config: netConf({ port: z.int() }),
      add,
      del: (c) => void seen.push(c.conf, c.prevResult),
    })
    const tester = testPlugin(plugin)
    const { exitCode, log } = await tester.del({ conf: { port: '80;' }, prevResult: 'nonsense' })
    expect(exitCode).toBe(0)
    expect(seen).toEqual([undefined, undefined])
    expect(log).toMatchObject([
      { level: 'warn', reason: 'port: expected an integer, got "80;"' },
      { level: 'info', reason: 'no ADD of this attachment is recorded' },
      { level: 'warn', reason: expect.stringContaining('could not parse prevResult') },
    ])
    await tester.del({ conf: { port: 80 }, prevResult: null })
    expect(seen.slice(2)).toEqual([expect.objectContaining({ port: 80, name: 'test' }), undefined])
  })

  it('DEL still fails for protocol errors', async () => {
    const tester = testPlugin(definePlugin({ name: 'p', add, del() {} }))
    expect((await tester.del({ conf: '{' })).error?.code).toBe(6)
    expect((await tester.del({ conf: '{"cniVersion":"1.1.0"}' })).error?.code).toBe(7)
    expect((await tester.del({ conf: { cniVersion: '9.9.9' } })).error?.code).toBe(1)
    expect((await tester.del({ ifName: 'a/b' })).error?.code).toBe(4)
  })
})
