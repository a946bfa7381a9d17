import { execFileSync } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { loadKubeconfig } from './kubeconfig.ts'

test('a kubeconfig that is a pipe nobody writes to is refused at once', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'kubeconfig-'))
  onTestFinished(() => rmSync(folder, { recursive: true }))
  const pipe = join(folder, 'pipe')
  execFileSync('mkfifo', [pipe])
  await expect(loadKubeconfig(pipe)).rejects.toMatchObject({
    code: 'BAD_KUBECONFIG',
    message: `kubeconfig ${pipe}: it is not a regular file`,
  })
})
