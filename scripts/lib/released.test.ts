import { execFileSync } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { findCommit } from './released.ts'

const SUBJECT = 'chore: release 0.1.0'
const TAG = '@cni/istio-redirect@0.1.0'

let folder: string
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'cni-released-'))
  git('init', '--quiet')
  for (const subject of ['first', SUBJECT, `Revert "${SUBJECT}"`, `${SUBJECT}-rc.1`]) commit(subject)
})
afterEach(() => rmSync(folder, { recursive: true }))

const git = (...argv: string[]): string => {
  const settings = ['-c', 'user.name=x', '-c', 'user.email=x@example.org', '-c', 'commit.gpgsign=false']
  return execFileSync('git', [...settings, ...argv], { cwd: folder, encoding: 'utf8' }).trim()
}
const commit = (subject: string): string => git('commit', '--quiet', '--allow-empty', '--message', subject)

test('the release is the commit of its tag', async () => {
  git('tag', '--annotate', '--message', 'x', TAG)
  expect(await findCommit(undefined, folder)).toEqual({ commit: git('rev-parse', 'HEAD'), name: TAG })
})

test('without the tag, the release is the commit with its subject', async () => {
  expect(await findCommit(undefined, folder)).toEqual({ commit: git('rev-parse', 'HEAD~2'), name: SUBJECT })
})

test('a shallow clone without the release gives an error with a remedy', async () => {
  git('clone', '--quiet', '--depth=1', `file://${folder}`, 'shallow')
  expect(await findCommit(undefined, join(folder, 'shallow'))).toEqual({
    missing: `this clone has neither the tag ${TAG} nor a commit "${SUBJECT}". To get them: git fetch --unshallow --tags`,
  })
})

test('another commit can be named; an unknown name is an error, also if it looks like an option', async () => {
  expect(await findCommit('HEAD~1', folder)).toEqual({ commit: git('rev-parse', 'HEAD~1'), name: 'HEAD~1' })
  await expect(findCommit('--all', folder)).rejects.toThrow('--from: this clone has no commit "--all"')
})
