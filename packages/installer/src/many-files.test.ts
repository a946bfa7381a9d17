import fs, { readdirSync, symlinkSync } from 'node:fs'
import { syncBuiltinESMExports } from 'node:module'
import { installer } from '@cni/installer'
import { expect, onTestFinished, test } from 'vitest'
import { calico, eventually, type FakeNode, fakeNode } from '../test/node.ts'
import { installed } from '../test/running.ts'

const MANY = 400
/** Limit of file opens: fewer than one scan of all files, more than passes need for the relevant files. */
const FEW = MANY / 2

/** Counts the opens of files in a folder. */
function countOpens(node: FakeNode): { take(): number } {
  const real = fs.openSync
  let count = 0
  const set = (value: unknown): void => {
    Reflect.set(fs, 'openSync', value)
    syncBuiltinESMExports()
  }
  set((path: string, ...rest: unknown[]) => {
    if (path.startsWith(node.path('net/'))) count += 1
    return Reflect.apply(real, fs, [path, ...rest])
  })
  onTestFinished(() => set(real))
  return {
    take() {
      const taken = count
      count = 0
      return taken
    },
  }
}

/** A net folder with many files, written some time ago. */
async function crowded(files: (index: number) => readonly [string, string]): Promise<FakeNode> {
  const node = fakeNode()
  for (let index = 0; index < MANY; index += 1) {
    const [name, text] = files(index)
    node.write(`net/${name}`, text)
  }
  // Older than the resolution of timestamps. A file that was just written is read again.
  const last = fs.statSync(node.path('net', readdirSync(node.path('net')).at(-1) ?? '')).ctimeMs
  await eventually(() => Date.now() - last > 250, 'a tick')
  return node
}

const padded = (index: number) => String(index).padStart(5, '0')
const crowds: [string, (index: number) => readonly [string, string]][] = [
  ['lists that sort after the primary', (index) => [`50-${padded(index)}.conflist`, calico]],
  ['invalid files that sort before the primary', (index) => [`00-${padded(index)}.conf`, '{']],
  ['lists with a plugin folder', (index) => [`50-${padded(index)}.conflist`, `{"name":"n${index}"}`]],
]

test.each(crowds)(
  'with many %s, a heal reads only the relevant files, and an uninstallation each file once',
  async (_, files) => {
    const node = await crowded(files)
    const opens = countOpens(node)
    const { installer, stop } = await installed(node)
    expect(opens.take()).toBeLessThan(MANY + FEW)
    node.write('net/10-calico.conflist', calico)
    await eventually(() => node.read('net/10-calico.conflist').includes('"mesh"'), 'healed')
    await eventually(() => installer.status().ready, 'ready')
    expect(opens.take()).toBeLessThan(FEW)
    await stop()
    expect(await installer.uninstall()).toMatchObject({ errors: [] })
    // One read per file, to find copies of the entry.
    expect(opens.take()).toBeLessThan(MANY + FEW)
    expect(node.read('net/10-calico.conflist')).toBe(calico)
  },
)

test('only some of many invalid files are named, with the number of others', async () => {
  using node = await crowded((index) => [`00-${padded(index)}.conf`, '{'])
  const mesh = installer(node.options)
  await mesh.install()
  const skipped = () => node.events.filter((event) => event.type === 'skipped')
  expect(skipped()).toHaveLength(21)
  expect(skipped().at(-1)).toMatchObject({
    path: node.path('net'),
    more: MANY - 20,
  })
  node.write('net/00-00300.conf', '[')
  await mesh.install()
  expect(skipped().slice(21)).toMatchObject([{ path: node.path('net/00-00300.conf') }])
})

test('a change of one of many files is noticed, also with the same size in the same moment', async () => {
  const node = await crowded((index) => [`00-${padded(index)}.conflist`, calico.replace('name', 'nam_')])
  const mesh = installer({ ...node.options, holdMs: 0, rewriteMs: 0 })
  expect(await mesh.install()).toMatchObject({ primary: '10-calico.conflist' })
  for (let round = 0; round < 20; round += 1) {
    const name = `00-${padded(round)}.conflist`
    node.write(`net/${name}`, calico.replace('name', 'nAme'))
    await mesh.install()
    node.write(`net/${name}`, calico)
    expect(await mesh.install()).toMatchObject({ primary: name })
    fs.rmSync(node.path('net', name))
  }
  node[Symbol.dispose]()
})

test('the targets of many links are watched', async () => {
  const node = fakeNode({})
  fs.mkdirSync(node.path('real'))
  for (let index = 0; index < 20; index += 1) {
    node.write(`real/${index}`, '{')
    symlinkSync(`../real/${index}`, node.path(`net/${padded(index)}.conflist`))
  }
  const mesh = installer(node.options)
  expect(await mesh.install()).toMatchObject({ ready: false })
  node.write('real/7', calico)
  expect(await mesh.install()).toMatchObject({ ready: true, primary: '00007.conflist' })
  expect(node.read('real/7')).toContain('"mesh"')
  node[Symbol.dispose]()
})
