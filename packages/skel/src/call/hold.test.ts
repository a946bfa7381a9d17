import { definePlugin } from '@cni/skel'
import { testPlugin } from '@cni/skel/testing'
import { expect, test } from 'vitest'

/** Resources that record their disposal. */
function diary() {
  const said: string[] = []
  const resource = (name: string): Disposable => ({ [Symbol.dispose]: () => void said.push(`${name} disposed`) })
  return { said, resource }
}

test('held resources are disposed at the end of the call, in reverse order, for every verb', async () => {
  const { said, resource } = diary()
  const handler = (c: { hold(resource: Disposable): unknown; readonly signal: AbortSignal }) => {
    c.hold(resource('first'))
    c.hold(resource('second'))
    said.push('handled')
  }
  const plugin = definePlugin({
    name: 'p',
    add(c) {
      handler(c)
      return {}
    },
    check: handler,
    del: handler,
    gc: handler,
    status: handler,
  })
  const tester = testPlugin(plugin)
  for (const verb of ['add', 'check', 'del', 'gc', 'status'] as const) {
    said.length = 0
    await tester[verb]()
    expect([verb, ...said]).toEqual([verb, 'handled', 'second disposed', 'first disposed'])
  }
})

test('a failing ADD keeps its held resources until its undo steps are done', async () => {
  const { said, resource } = diary()
  const plugin = definePlugin({
    name: 'p',
    add(c) {
      c.undo(() => void said.push('undone'))
      expect(c.hold(undefined)).toBeUndefined()
      c.hold(resource('lock'))
      throw new Error('no')
    },
  })
  expect((await testPlugin(plugin).add()).error?.msg).toBe('no')
  expect(said).toEqual(['undone', 'lock disposed'])
})

test('a handler that outlives its deadline keeps its held resources until its late undo steps are done', async () => {
  const { said, resource } = diary()
  let goOn: () => void = () => {}
  const waits = new Promise<void>((resolve) => {
    goOn = resolve
  })
  const plugin = definePlugin({
    name: 'p',
    timeout: 10,
    async add(c) {
      c.hold(resource('lock'))
      await waits
      c.undo(async () => {
        await Promise.resolve()
        said.push('undone')
      })
      return {}
    },
  })
  expect((await testPlugin(plugin).add()).error?.code).toBe(11)
  expect(said).toEqual([])
  goOn()
  await expect.poll(() => said).toEqual(['undone', 'lock disposed'])
})

test('a resource that cannot be disposed is logged, and the next one is disposed', async () => {
  const { said, resource } = diary()
  const plugin = definePlugin({
    name: 'p',
    add(c) {
      c.hold(resource('lock'))
      c.hold({
        [Symbol.dispose]() {
          throw new Error('stuck')
        },
      })
      return {}
    },
  })
  const { exitCode, log } = await testPlugin(plugin).add()
  expect([exitCode, log.map(({ msg }) => msg)]).toEqual([0, ['a held resource was not released']])
  expect(said).toEqual(['lock disposed'])
})
