import { execFileSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { checkCommits, messageProblems } from './commits.ts'

const WHY = '\n\nBecause.'
const subject = (length: number) => 'fix: '.padEnd(length, 'x')

describe('a commit message', () => {
  it.each([
    ['a scope', `fix(iptables): a rule${WHY}`],
    ['two scopes, a breaking change', `feat(types, skel)!: a rule${WHY}`],
    ['72 characters', `${subject(72)}${WHY}`],
    ['a body before its trailers', `fix: a rule${WHY}\n\nSigned-off-by: A <a@example.org>`],
    ['a release', 'chore: release 0.1.0'],
  ])('may have %s', (_, message) => {
    expect(messageProblems(message)).toEqual([])
  })

  it.each([
    ['no type', `A rule${WHY}`, 'Conventional Commit'],
    ['an unknown type', `fixed: a rule${WHY}`, 'Conventional Commit'],
    ['nothing behind its type', `fix:${WHY}`, 'Conventional Commit'],
    ['73 characters', `${subject(73)}${WHY}`, 'has 73 characters'],
    ['a second line', 'fix: a rule\nof two lines\nand more', 'second line'],
    ['no body', 'fix: a rule\n', 'no body'],
    ['trailers alone', 'fix: a rule\n\nSigned-off-by: A <a@example.org>', 'no body'],
  ])('is rejected with %s', (_, message, problem) => {
    expect(messageProblems(message)).toEqual([expect.stringContaining(problem)])
  })
})

describe('the check of commits', () => {
  let folder: string
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'cni-commits-'))
    git('init', '--quiet', '--initial-branch=main')
    commit('old and wrong')
  })
  afterEach(() => rmSync(folder, { recursive: true }))

  const git = (...argv: string[]) => {
    const settings = ['-c', 'user.name=x', '-c', 'user.email=x@example.org', '-c', 'commit.gpgsign=false']
    return execFileSync('git', [...settings, ...argv], { cwd: folder, encoding: 'utf8' }).trim()
  }
  const commit = (message: string) => git('commit', '--quiet', '--allow-empty', '--message', message)
  const introduce = () => {
    const file = join(folder, 'scripts/lib/commits.ts')
    mkdirSync(dirname(file), { recursive: true })
    writeFileSync(file, '')
    git('add', '.')
    commit('the check, wrong itself')
  }

  it('checks the commits after its own that origin/main lacks', async () => {
    introduce()
    commit('published and wrong')
    git('update-ref', 'refs/remotes/origin/main', 'HEAD')
    commit(`fix: one${WHY}`)
    expect(await checkCommits(folder)).toEqual({ note: '1 commits' })
    commit('fix: two')
    await expect(checkCommits(folder)).rejects.toThrow(/^\w{8} fix: two: there is no body: say why$/)
  })

  it('checks only the last commit without origin/main', async () => {
    introduce()
    commit('wrong')
    await expect(checkCommits(folder)).rejects.toThrow('wrong: the subject is no')
    commit(`fix: one${WHY}`)
    expect(await checkCommits(folder)).toEqual({ note: '1 commits' })
  })

  it('skips merges, and commits that do not descend from it', async () => {
    git('checkout', '--quiet', '-b', 'beside')
    commit('beside and wrong')
    git('checkout', '--quiet', 'main')
    introduce()
    git('update-ref', 'refs/remotes/origin/main', 'HEAD')
    git('merge', '--quiet', '--no-ff', '--message', 'a merge', 'beside')
    expect(await checkCommits(folder)).toEqual({ note: '0 commits' })
  })

  it.each([
    ['the check is not committed', () => {}, 'skipped: the check itself is not committed'],
    ['there is no clone', () => rmSync(join(folder, '.git'), { recursive: true }), 'skipped: no clone'],
    ['git cannot read it', () => writeFileSync(join(folder, '.git/HEAD'), 'x'), 'skipped: git cannot read this clone'],
  ])('is skipped if %s', async (_, change, note) => {
    change()
    expect(await checkCommits(folder)).toEqual({ note })
  })

  it('passes in a shallow clone', async () => {
    introduce()
    commit('wrong')
    git('clone', '--quiet', '--depth=1', `file://${folder}`, 'shallow')
    expect(await checkCommits(join(folder, 'shallow'))).toEqual({ note: '0 commits' })
  })
})
