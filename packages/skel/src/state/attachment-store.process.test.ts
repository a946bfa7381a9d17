import { execFileSync } from 'node:child_process'
import { readdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { attachmentStore } from '@cni/skel'
import { expect, test } from 'vitest'
import * as z from 'zod/mini'
import { tempFolder } from '../../test/temp-folder.ts'

test('a pipe in place of a state file is reported at once, and can be removed', () => {
  const folder = tempFolder()
  const store = attachmentStore({ folder, schema: z.object({}) })
  const key = { network: 'pods', containerID: 'abc', ifName: 'eth0' }
  store.write(key, {})
  const path = join(folder, readdirSync(folder)[0] ?? '')
  rmSync(path)
  execFileSync('mkfifo', ['-m', '600', path])
  expect(() => store.read(key)).toThrow(`state file ${path}: it is not a regular file`)
  expect(store.remove(key)).toBe(true)
})
