import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test, vi } from 'vitest'
import { agent } from './agent.ts'

test('the network is added, restored after its removal, and removed at the end', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'agent-'))
  onTestFinished(() => rmSync(folder, { recursive: true }))
  const [netDir, bin, sourceDir] = [join(folder, 'net.d'), join(folder, 'bin'), join(folder, 'source')]
  for (const each of [netDir, bin, sourceDir]) mkdirSync(each)
  const written = () => readdirSync(netDir).filter((name) => /\.conf(list)?$/.test(name))
  writeFileSync(join(sourceDir, '@NAME@'), '#!/bin/sh\n', { mode: 0o755 })
  const stop = new AbortController()
  const ended = agent({ netDir, binDirs: [bin], sourceDir }, stop.signal)

  await vi.waitFor(() => expect(written()).toHaveLength(1), { timeout: 5000 })
  const [name = ''] = written()
  expect(readFileSync(join(netDir, name), 'utf8')).toContain('"@NAME@"')
  expect(existsSync(join(bin, '@NAME@'))).toBe(true)
  rmSync(join(netDir, name))
  await vi.waitFor(() => expect(written()).toEqual([name]), { timeout: 5000 })

  stop.abort()
  expect((await ended).errors).toEqual([])
  expect(written()).toEqual([])
})
