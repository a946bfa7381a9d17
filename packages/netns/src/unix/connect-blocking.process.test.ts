import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { connectUnixBlocking } from './connect-blocking.ts'

test('a peer that takes nothing is waited for as long as was said', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'cni-unix-'))
  // This process blocks in its calls, so that its own server takes nothing meanwhile.
  const server = createServer()
  onTestFinished(() => {
    server.close()
    rmSync(folder, { recursive: true })
  })
  await once(server.listen(join(folder, 's')), 'listening')
  using stream = connectUnixBlocking(join(folder, 's'))
  const began = performance.now()
  expect(() => stream.send(new Uint8Array(4 * 1024 * 1024), 150)).toThrow('4194304 bytes were not taken within 150 ms')
  expect(performance.now() - began).toBeLessThan(2000)
})
