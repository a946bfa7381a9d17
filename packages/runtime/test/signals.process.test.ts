import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { buildSmall, isBuilt, NOT_BUILT } from './same.ts'

describe.skipIf(!isBuilt)(`Signals while stdin is open (${NOT_BUILT})`, () => {
  const folder = mkdtempSync(join(tmpdir(), 'cni-signals-'))
  let file = ''
  beforeAll(async () => {
    file = await buildSmall(fileURLToPath(new URL('programs/signals.ts', import.meta.url)), folder)
  })
  afterAll(() => rmSync(folder, { recursive: true }))

  it('a listener gets the signal, and a released signal ends the process', async () => {
    const child = spawn(file, [], { stdio: ['pipe', 'pipe', 'inherit'] })
    let output = ''
    const until = async (text: string): Promise<void> => {
      while (!output.includes(text)) output += String((await once(child.stdout, 'data'))[0])
    }
    await until('ready')
    child.kill('SIGTERM')
    await until('released')
    child.kill('SIGTERM')
    const [code, signal] = await once(child, 'exit')
    expect({ output, code, signal }).toEqual({
      output: 'ready\ngot SIGTERM 15\nreleased\n',
      code: null,
      signal: 'SIGTERM',
    })
  })

  it('the end of stdin ends the process', async () => {
    const child = spawn(file, [], { stdio: ['pipe', 'ignore', 'inherit'] })
    child.stdin.end('text')
    expect(await once(child, 'exit')).toEqual([0, null])
  })
})
