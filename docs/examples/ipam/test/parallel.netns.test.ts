import { execFile } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { expect, onTestFinished, test } from 'vitest'
import { NODE_FLAGS } from '../../../../test/node.ts'

const adds = fileURLToPath(new URL('adds.ts', import.meta.url))

test('50 parallel ADDs of five processes never get the same address, in both families', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'leases-'))
  onTestFinished(() => rmSync(folder, { recursive: true }))
  const runs = [0, 10, 20, 30, 40].map((first) =>
    promisify(execFile)(process.execPath, [...NODE_FLAGS, adds, folder, `${first}`, '10']),
  )
  const addresses = (await Promise.all(runs)).flatMap(({ stdout }): string[] => JSON.parse(stdout))
  const expected = Array.from({ length: 50 }, (_, i) => [`10.88.0.${i + 2}/24`, `fd88::${(i + 2).toString(16)}/64`])
  expect(addresses.sort()).toEqual(expected.flat().sort())
}, 60_000)
