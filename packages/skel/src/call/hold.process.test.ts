import { spawnSync } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { lock } from '@cni/netns/sys'
import { definePlugin } from '@cni/skel'
import { testPlugin } from '@cni/skel/testing'
import { expect, onTestFinished, test } from 'vitest'

test('another process cannot take the lock of a failing ADD before its undo steps are done', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'hold-'))
  onTestFinished(() => rmSync(folder, { recursive: true }))
  const path = join(folder, 'lock')
  const isLocked = () => spawnSync('flock', ['--nonblock', path, 'true']).status === 1

  const seen: boolean[] = []
  const plugin = definePlugin({
    name: 'p',
    async add(c) {
      c.hold(await lock(path, { create: true }))
      c.undo(() => void seen.push(isLocked()))
      seen.push(isLocked())
      throw new Error('no')
    },
  })
  expect((await testPlugin(plugin).add()).error?.msg).toBe('no')
  expect([...seen, isLocked()]).toEqual([true, true, false])
})
