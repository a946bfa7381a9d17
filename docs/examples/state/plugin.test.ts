import { mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { memoryStateFolder, testPlugin } from '@cni/skel/testing'
import { expect, onTestFinished, test } from 'vitest'
import { plugin } from './plugin.ts'

function publishing() {
  const folder = mkdtempSync(join(tmpdir(), 'publish-'))
  onTestFinished(() => rmSync(folder, { recursive: true }))
  const state = memoryStateFolder()
  return { folder, state, tester: testPlugin(plugin, { state, conf: { folder } }) }
}

test('DEL finds what ADD made even if the configuration has changed', async () => {
  const { folder, state, tester } = publishing()
  await tester.add({ containerID: 'web' })
  expect(readdirSync(folder)).toEqual(['web'])
  await tester.del({ containerID: 'web', conf: { folder: 5 } })
  expect(readdirSync(folder)).toEqual([])
  expect(state.files.size).toBe(0)
})

test('GC removes files without a valid attachment', async () => {
  const { folder, tester } = publishing()
  for (const containerID of ['web', 'db']) await tester.add({ containerID })
  await tester.gc({ validAttachments: [{ containerID: 'db', ifname: 'eth0' }] })
  expect(readdirSync(folder)).toEqual(['db'])
})

test('an invalid state file fails CHECK, not DEL', async () => {
  const { state, tester } = publishing()
  await tester.add()
  for (const name of state.files.keys()) state.files.set(name, 'hostile')
  expect((await tester.check()).error?.code).toBe(6)
  const { exitCode, log } = await tester.del()
  expect([exitCode, log[0]?.level]).toEqual([0, 'warn'])
})
