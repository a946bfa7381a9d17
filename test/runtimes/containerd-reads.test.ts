import { mkdirSync, readdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { installer } from '@cni/installer'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import * as z from 'zod/mini'
import { type Containerd, startContainerd } from './node/containerd.ts'
import { folderFor } from './node/throw-away.ts'

const stack = new AsyncDisposableStack()
const confDir = folderFor('net')
let containerd: Containerd

beforeAll(async () => {
  containerd = stack.use(await startContainerd({ binDir: folderFor('bin'), confDir }))
})
afterAll(() => stack.disposeAsync())

const statusSchema = z.object({
  status: z.object({ conditions: z.array(z.object({ type: z.string(), status: z.boolean() })) }),
  info: z.object({ cniconfig: z.string(), lastCNILoadStatus: z.string() }),
})
const configSchema = z.object({ Networks: z.nullish(z.array(z.object({ Config: z.object({ Name: z.string() }) }))) })

/** The pod networks that containerd has loaded, or its error. */
async function loaded(): Promise<{
  readonly isReady: boolean
  readonly names: readonly string[]
  readonly error: string
}> {
  const { status, info } = z.parse(statusSchema, await containerd.cri.call('Status', { verbose: true }))
  const { Networks } = z.parse(configSchema, JSON.parse(info.cniconfig))
  return {
    isReady: status.conditions.find(({ type }) => type === 'NetworkReady')?.status === true,
    names: (Networks ?? []).map(({ Config }) => Config.Name).filter((name) => name !== 'cni-loopback'),
    error: info.lastCNILoadStatus,
  }
}

/** The number of the test case. Its networks have unique names, so the status of an earlier case does not match. */
let row = 0

/** Replaces the files in the net folder. containerd reads the folder after a write, but not after a new link. */
function fill(files: Files): void {
  row += 1
  for (const name of readdirSync(confDir)) rmSync(join(confDir, name), { recursive: true })
  for (const [name, file] of Object.entries(files)) {
    if (typeof file === 'string') writeFileSync(join(confDir, name), file.replace('ROW', `row${row}`))
    else file(join(confDir, name))
  }
  writeFileSync(join(confDir, 'written-last'), 'x')
}

type Files = Readonly<Record<string, string | ((path: string) => void)>>

/** A list whose network is named after its file. */
const list = (name: string, ...types: readonly string[]) =>
  JSON.stringify({ cniVersion: '0.4.0', name: `ROW-${name}`, plugins: types.map((type) => ({ type })) })
const single = (name: string, member = 'type') =>
  JSON.stringify({ cniVersion: '0.4.0', name: `ROW-${name}`, [member]: 'bridge' })
const CHAINED = { '10-calico.conflist': list('10-calico.conflist', 'calico', 'istio-cni') }
const BROKEN = '{"cniVersion":'

test.each<[title: string, files: Files, primary: string | { readonly broken: string }]>([
  ['one list', CHAINED, '10-calico.conflist'],
  ['a broken .conf before it', { '05-a.conf': BROKEN, ...CHAINED }, { broken: '05-a.conf' }],
  ['a broken .json before it', { '05-b.json': BROKEN, ...CHAINED }, { broken: '05-b.json' }],
  ['a broken list before it', { '05-c.conflist': BROKEN, ...CHAINED }, { broken: '05-c.conflist' }],
  ['a list without plugins before it', { '05-d.conflist': list('d'), ...CHAINED }, { broken: '05-d.conflist' }],
  ['a list in a .conf before it', { '05-e.conf': list('e', 'bridge'), ...CHAINED }, { broken: '05-e.conf' }],
  [
    'a dangling link before it',
    { '05-f.conf': (path) => symlinkSync('gone', path), ...CHAINED },
    { broken: '05-f.conf' },
  ],
  ['an empty file before it', { '05-g.json': '', ...CHAINED }, { broken: '05-g.json' }],
  ['a broken file after it', { ...CHAINED, '20-broken.conf': BROKEN }, '10-calico.conflist'],
  ['a folder before it', { '05-h.conf': (path) => mkdirSync(path), ...CHAINED }, '10-calico.conflist'],
  ['other names before it', { '05-x.yaml': BROKEN, '05-x.CONF': BROKEN, ...CHAINED }, '10-calico.conflist'],
  ['a .json before it', { '05-site.json': single('05-site.json'), ...CHAINED }, '05-site.json'],
  ['a .conf before it', { '05-site.conf': single('05-site.conf'), ...CHAINED }, '05-site.conf'],
  ['names in the order of their bytes', { ...CHAINED, '10-B.conf': single('10-B.conf') }, '10-B.conf'],
  ['a member in another case', { '05-site.json': single('05-site.json', 'TYPE'), ...CHAINED }, '05-site.json'],
])('containerd and %s', async (_, files, expected) => {
  fill(files)
  const primary = typeof expected === 'string' ? expected : undefined
  await vi.waitFor(
    async () => {
      const now = await loaded()
      expect(now.names).toEqual(primary === undefined ? [] : [`row${row}-${primary}`])
      expect(now.isReady).toBe(primary !== undefined)
      if (typeof expected !== 'string') expect(now.error).toContain(join(confDir, expected.broken))
    },
    { timeout: 10_000, interval: 20 },
  )
  const { runtimes = [] } = await installer({ plugin: { type: 'istio-cni' }, netDir: confDir }).plan()
  const reading = runtimes.find(({ runtime }) => runtime === 'containerd')
  expect(reading?.primary).toBe(primary)
  expect(reading?.runs).toBe(primary === '10-calico.conflist' ? 'yes' : 'no')
  if (typeof expected !== 'string') expect(reading?.text).toContain(`while ${expected.broken} is broken`)
})
