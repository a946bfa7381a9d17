import { attachmentState, definePlugin, netConf, runPlugin, StateError } from '@cni/skel'
import { fakeNetns, memoryStateFolder, testPlugin } from '@cni/skel/testing'
import { describe, expect, it } from 'vitest'
import * as z from 'zod/mini'

/** A plugin that only stores state in ADD. */
const keepsOnly = definePlugin({
  name: 'plain',
  state: attachmentState(z.object({})),
  add(c) {
    c.state.write({})
    return {}
  },
})

/** A plugin that follows its configuration, and records the state that it reads. */
function keeper() {
  const seen: unknown[] = []
  const plugin = definePlugin({
    name: 'keeper',
    config: netConf({ write: z._default(z.array(z.int()), []), fail: z._default(z.boolean(), false) }),
    state: attachmentState(z.object({ mark: z.int() })),
    add(c) {
      seen.push(c.state.read())
      for (const mark of c.conf.write) {
        c.state.write({ mark })
        c.undo(() => seen.push(`undone before ${mark}`, c.state.read()))
      }
      if (c.conf.fail) throw new Error('ADD fails')
      return {}
    },
    check: (c) => void seen.push(c.state.read()),
    del(c) {
      seen.push(c.state.read())
      if (c.conf?.fail) throw new Error('DEL fails')
    },
    gc(c) {
      seen.push(c.state.stale())
      if (c.conf.fail) throw new Error('GC fails')
    },
  })
  const state = memoryStateFolder()
  const records = () => [...state.files.values()].map((text) => JSON.parse(String(text)))
  return { tester: testPlugin(plugin, { state }), state, seen, records }
}

describe('the state of an attachment', () => {
  it('is written by ADD, read by CHECK and DEL, and removed after DEL', async () => {
    const { tester, seen, records } = keeper()
    expect((await tester.add({ conf: { write: [1, 2] } })).exitCode).toBe(0)
    expect(records()).toEqual([{ v: 1, network: 'test', containerID: 'test-container', ifName: 'eth0', mark: 2 }])
    expect((await tester.check()).exitCode).toBe(0)
    expect((await tester.del()).exitCode).toBe(0)
    expect(seen).toEqual([undefined, { mark: 2 }, { mark: 2 }])
    expect(records()).toEqual([])
  })

  it('is separate for each network, container and interface', async () => {
    const { tester, seen, records } = keeper()
    await tester.add({ conf: { write: [1] } })
    await tester.add({ conf: { write: [2] }, ifName: 'eth1' })
    await tester.add({ conf: { write: [3], name: 'other' } })
    await tester.del({ ifName: 'eth1' })
    expect(seen.at(-1)).toEqual({ mark: 2 })
    expect(records().map(({ mark }) => mark)).toEqual([1, 3])
  })

  it('is reverted if ADD fails, in the order of the other steps', async () => {
    const { tester, seen, records } = keeper()
    await tester.add({ conf: { write: [1] } })
    const { error } = await tester.add({ conf: { write: [2, 3], fail: true } })
    expect(error?.msg).toBe('ADD fails')
    expect(seen).toEqual([undefined, { mark: 1 }, 'undone before 3', { mark: 3 }, 'undone before 2', { mark: 2 }])
    expect(records()).toMatchObject([{ mark: 1 }])
  })

  it('does not exist after the first ADD has failed', async () => {
    const { tester, records } = keeper()
    await tester.add({ conf: { write: [1], fail: true } })
    expect(records()).toEqual([])
  })

  it('stays until a DEL succeeds', async () => {
    const { tester, records } = keeper()
    await tester.add({ conf: { write: [1] } })
    expect((await tester.del({ conf: { fail: true } })).exitCode).toBe(1)
    expect(records()).toMatchObject([{ mark: 1 }])
    expect((await tester.del({ netns: 'missing', conf: { write: 'nonsense' } })).exitCode).toBe(0)
    expect(records()).toEqual([])
  })

  it("is rejected with code 999 and the member's name if it does not match the schema", async () => {
    const plugin = definePlugin({
      name: 'wrong',
      state: attachmentState(z.object({ port: z.int().check(z.positive()) })),
      add(c) {
        c.state.write({ port: -1 })
        return {}
      },
    })
    const state = memoryStateFolder()
    const { error } = await testPlugin(plugin, { state }).add()
    expect(error).toMatchObject({ code: 999, msg: 'state: port: expected a positive integer, got -1' })
    expect(state.files.size).toBe(0)
  })

  it('fails CHECK with code 6 if it is unusable, but DEL logs and removes it', async () => {
    const { tester, state, seen } = keeper()
    await tester.add({ conf: { write: [1] } })
    const [name = ''] = state.files.keys()
    state.files.set(name, '{"v":2}')
    const { error } = await tester.check()
    expect(error).toMatchObject({ code: 6, msg: `state file ${state.path}/${name}: it has version 2, expected 1` })
    expect(error?.details).toContain('DEL goes on without it')
    const { exitCode, log } = await tester.del()
    expect(exitCode).toBe(0)
    expect(log).toMatchObject([{ level: 'warn', reason: expect.stringContaining(`${name}: it has version 2`) }])
    expect(seen.at(-1)).toBeUndefined()
    expect(state.files.size).toBe(0)
  })

  it('is not quoted if it is malformed, because it may contain a secret', async () => {
    const { tester, state } = keeper()
    await tester.add({ conf: { write: [1] } })
    for (const name of state.files.keys()) state.files.set(name, '{"v":1,"token":"hunter2"x}')
    const { stdout, stderr } = await tester.check()
    expect(stdout).toContain('it is not JSON')
    expect(stdout + stderr + (await tester.del()).stderr).not.toContain('hunter2')
  })

  it('does not fail DEL if it cannot be removed', async () => {
    const { tester, state } = keeper()
    await tester.add({ conf: { write: [1] } })
    const broken = {
      ...state,
      remove() {
        throw new StateError('EROFS', '/run/cni/keeper/x.json', 'it cannot be removed: EROFS')
      },
    }
    const { exitCode, log } = await tester.del({ state: broken })
    expect(exitCode).toBe(0)
    expect(log).toMatchObject([{ level: 'warn', msg: 'the state of the attachment is left behind' }])
  })

  it('is removed by a DEL without a handler', async () => {
    const plugin = definePlugin({
      name: 'plain',
      state: attachmentState(z.object({ mark: z.int() }), { version: 3 }),
      add(c) {
        c.state.write({ mark: 1 })
        return {}
      },
    })
    const state = memoryStateFolder()
    const tester = testPlugin(plugin, { state })
    await tester.add()
    expect([...state.files.values()]).toEqual([expect.stringContaining('"v":3')])
    expect((await tester.del()).exitCode).toBe(0)
    expect(state.files.size).toBe(0)
  })
})

describe('GC', () => {
  const pods = ['a', 'b', 'c']
  const begun = async () => {
    const made = keeper()
    for (const containerID of pods) await made.tester.add({ containerID, conf: { write: [1] } })
    await made.tester.add({ conf: { name: 'other', write: [2] } })
    return made
  }
  const validAttachments = [{ containerID: 'b', ifname: 'eth0' }]

  it('passes stale state to the handler, and removes it afterwards', async () => {
    const { tester, seen, records } = await begun()
    const { exitCode, log } = await tester.gc({ validAttachments })
    expect(exitCode).toBe(0)
    const stale = seen.at(-1)
    expect(stale).toHaveLength(2)
    expect(stale).toEqual(
      expect.arrayContaining(['a', 'c'].map((containerID) => ({ containerID, ifName: 'eth0', state: { mark: 1 } }))),
    )
    expect(records().map(({ network, containerID }) => `${network} ${containerID}`)).toEqual([
      'test b',
      'other test-container',
    ])
    expect(log.map(({ containerID }) => containerID).sort()).toEqual(['a', 'c'])
  })

  it('removes nothing if the handler fails, or if the runtime sends no list of valid attachments', async () => {
    const { tester, seen, records } = await begun()
    expect((await tester.gc({ validAttachments, conf: { fail: true } })).exitCode).toBe(1)
    const conf = JSON.stringify({ cniVersion: '1.1.0', name: 'test', type: 'keeper' })
    expect((await tester.gc({ conf })).exitCode).toBe(0)
    expect(seen.at(-1)).toEqual([])
    expect(records()).toHaveLength(4)
  })

  it('keeps unusable files, and logs them', async () => {
    const { tester, state } = await begun()
    state.files.set(`${'0'.repeat(32)}.json`, 'nonsense')
    const { exitCode, log } = await tester.gc({ validAttachments: [] })
    expect(exitCode).toBe(0)
    expect(log.filter(({ level }) => level === 'warn')).toMatchObject([{ reason: expect.stringContaining('not JSON') }])
    expect([...state.files.values()]).toHaveLength(2)
  })

  /** A plugin without a GC handler, whose DEL records its state. */
  const withoutHandler = async () => {
    const seen: unknown[] = []
    const plugin = definePlugin({
      name: 'plain',
      config: netConf({ fail: z._default(z.string(), '') }),
      state: attachmentState(z.object({ mark: z.int() })),
      add(c) {
        c.state.write({ mark: c.containerID.length })
        return {}
      },
      del(c) {
        const { CNI_COMMAND, CNI_CONTAINERID, CNI_NETNS } = c.env
        seen.push({ ifName: c.ifName, netns: c.netns, state: c.state.read(), CNI_COMMAND, CNI_CONTAINERID, CNI_NETNS })
        if (c.conf?.fail === c.containerID) throw new Error(`${c.containerID} resists`)
      },
    })
    const state = memoryStateFolder()
    const tester = testPlugin(plugin, { state })
    for (const containerID of ['a', 'bb', 'ccc']) await tester.add({ containerID })
    const kept = () => [...state.files.values()].map((text) => JSON.parse(String(text)).containerID).sort()
    return { tester, seen, kept }
  }

  it('without a handler runs DEL for stale attachments', async () => {
    const { tester, seen, kept } = await withoutHandler()
    const valid = [{ containerID: 'bb', ifname: 'eth0' }]
    const { exitCode, log } = await tester.gc({ validAttachments: valid })
    expect(exitCode).toBe(0)
    const del = (id: string) => {
      const of = { CNI_COMMAND: 'DEL', CNI_CONTAINERID: id, CNI_NETNS: '' }
      return { ifName: 'eth0', netns: undefined, state: { mark: id.length }, ...of }
    }
    expect(seen).toHaveLength(2)
    expect(seen).toEqual(expect.arrayContaining([del('a'), del('ccc')]))
    expect(log.map(({ level, containerID }) => `${level} ${containerID}`).sort()).toEqual(['info a', 'info ccc'])
    expect(kept()).toEqual(['bb'])
    expect((await tester.gc({ validAttachments: valid })).exitCode).toBe(0)
    expect(seen).toHaveLength(2)
  })

  it('without a handler keeps the state of an attachment whose DEL fails, and deletes the others', async () => {
    const { tester, kept } = await withoutHandler()
    const { error, log } = await tester.gc({ validAttachments: [], conf: { fail: 'bb' } })
    expect(error?.msg).toBe('bb resists')
    expect(log.filter(({ level }) => level === 'warn')).toMatchObject([
      { msg: 'a stale attachment could not be deleted', containerID: 'bb', ifName: 'eth0', reason: 'bb resists' },
    ])
    expect(kept()).toEqual(['bb'])
    expect((await tester.gc({ validAttachments: [] })).exitCode).toBe(0)
    expect(kept()).toEqual([])
  })

  it('without a handler changes nothing if the configuration is invalid, or nothing is known to be stale', async () => {
    const { tester, seen, kept } = await withoutHandler()
    expect((await tester.gc({ validAttachments: [], conf: { fail: 7 } })).error).toMatchObject({ code: 7 })
    const conf = JSON.stringify({ cniVersion: '1.1.0', name: 'test', type: 'plain' })
    expect((await tester.gc({ conf })).exitCode).toBe(0)
    expect(seen).toEqual([])
    expect(kept()).toHaveLength(3)
  })

  it('without a handler stops at its deadline, and leaves the rest to the next GC', async () => {
    let running: AbortController | undefined
    const state = memoryStateFolder()
    const tester = testPlugin({ ...keepsOnly, del: () => running?.abort(new Error('enough')) }, { state })
    for (const containerID of ['a', 'b']) await tester.add({ containerID })
    running = new AbortController()
    expect((await tester.gc({ validAttachments: [], signal: running.signal })).error?.msg).toContain('enough')
    expect(state.files.size).toBe(1)
  })

  it('removes stale state of a plugin without DEL handler', async () => {
    const state = memoryStateFolder()
    const tester = testPlugin(keepsOnly, { state })
    await tester.add()
    expect((await tester.gc()).exitCode).toBe(0)
    expect(state.files.size).toBe(0)
  })
})

it('calls of one tester share the state, other testers do not', async () => {
  const { tester, seen } = keeper()
  await tester.add({ conf: { write: [1] } })
  await keeper().tester.check()
  await tester.check()
  expect(seen).toEqual([undefined, { mark: 1 }])
})

it('use of c.state without a declared state throws an error that explains it', async () => {
  const plugin = definePlugin({ name: 'none', add: (c) => c.state.read() ?? {} })
  expect((await testPlugin(plugin).add()).error).toMatchObject({
    code: 999,
    msg: 'none: c.state needs a schema: definePlugin({ state: attachmentState(schema), … })',
  })
})

describe('a state', () => {
  const opened = async (options: { folder?: string }) => {
    const paths: string[] = []
    const plugin = definePlugin({
      name: 'tag',
      state: attachmentState(z.object({}), options),
      add: (c) => c.state.read() ?? {},
    })
    const conf = JSON.stringify({ cniVersion: '1.1.0', name: 'n' })
    const env = { CNI_COMMAND: 'ADD', CNI_CONTAINERID: 'c', CNI_NETNS: '/x', CNI_IFNAME: 'eth0', CNI_PATH: '/' }
    const netns = { open: (path: string) => fakeNetns(path, 2), current: () => fakeNetns('/proc/self/ns/net', 1) }
    await runPlugin(plugin, {
      env,
      stdin: () => conf,
      netns,
      stateFolder(path) {
        paths.push(path)
        return memoryStateFolder(path)
      },
    })
    return paths
  }

  it('is by default in a folder named after the plugin, which a reboot empties', async () => {
    expect(await opened({})).toEqual(['/run/cni/tag'])
    expect(await opened({ folder: '/var/lib/tag' })).toEqual(['/var/lib/tag'])
  })

  it.each<[options: object, message: string]>([
    [{ folder: 'run' }, 'attachmentState: folder: expected an absolute path, got "run"'],
    [{ folder: '' }, 'attachmentState: folder: expected an absolute path, got ""'],
    [{ version: 0 }, 'attachmentState: version: expected an integer from 1 on, got 0'],
  ])('rejects the options %j', (options, message) => {
    expect(() => attachmentState(z.object({}), options)).toThrow(new TypeError(message))
  })
})
