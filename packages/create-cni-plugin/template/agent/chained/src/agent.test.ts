import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test, vi } from 'vitest'
import { agent } from './agent.ts'

test('the entry is added, restored after its removal, and removed at the end', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'agent-'))
  onTestFinished(() => rmSync(folder, { recursive: true }))
  const [netDir, bin, sourceDir] = [join(folder, 'net.d'), join(folder, 'bin'), join(folder, 'source')]
  for (const each of [netDir, bin, sourceDir]) mkdirSync(each)
  const list = join(netDir, '10-pods.conflist')
  const others = JSON.stringify({ cniVersion: '1.0.0', name: 'pods', plugins: [{ type: 'bridge' }] })
  const types = () => JSON.parse(readFileSync(list, 'utf8')).plugins.map(({ type }: { type: string }) => type)
  writeFileSync(list, others)
  writeFileSync(join(sourceDir, '@NAME@'), '#!/bin/sh\n', { mode: 0o755 })
  const stop = new AbortController()
  const ended = agent({ netDir, binDirs: [bin], sourceDir }, stop.signal)

  await vi.waitFor(() => expect(types()).toEqual(['bridge', '@NAME@']), { timeout: 5000 })
  expect(existsSync(join(bin, '@NAME@'))).toBe(true)
  writeFileSync(list, others)
  await vi.waitFor(() => expect(types()).toEqual(['bridge', '@NAME@']), { timeout: 5000 })

  stop.abort()
  expect((await ended).errors).toEqual([])
  expect(types()).toEqual(['bridge'])
})
