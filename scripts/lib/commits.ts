import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { exec, root } from './exec.ts'
import { Stop } from './progress.ts'

const TYPES = 'bench|build|chore|ci|docs|feat|fix|perf|refactor|revert|style|test'
const SUBJECT = new RegExp(`^(?:${TYPES})(?:\\([a-z0-9-]+(?:, ?[a-z0-9-]+)*\\))?!?: \\S`)
const MAX_SUBJECT = 72

/** Subjects of release commits, which the check skips because they have no body. */
const GENERATED = /^chore: (?:release|version) /

const TRAILER = /^[A-Z][A-Za-z-]+: |^BREAKING CHANGE: /

/** Returns the faults of a commit message as sentences. The list is empty for a valid message. */
export function messageProblems(message: string): string[] {
  const [subject = '', second = '', ...body] = message.trimEnd().split('\n')
  if (GENERATED.test(subject)) return []
  const says = body.some((line) => line.trim() !== '' && !TRAILER.test(line))
  return [
    SUBJECT.test(subject) ? '' : 'the subject is no Conventional Commit, such as "fix(iptables): …"',
    subject.length > MAX_SUBJECT ? `the subject has ${subject.length} characters: at most ${MAX_SUBJECT}` : '',
    second === '' ? '' : 'the second line must be empty',
    says ? '' : 'there is no body: say why',
  ].filter(Boolean)
}

/** Checks the messages of the commits that `origin/main` lacks. */
export async function checkCommits(repository = root) {
  if (!existsSync(join(repository, '.git'))) return { note: 'skipped: no clone' }
  const git = (...argv: string[]) => exec(['git', ...argv], { quiet: true, cwd: repository })
  const lines = async (...argv: string[]) => (await git(...argv)).split('\n').filter(Boolean)
  const exists = (name: string) => git('rev-parse', '--quiet', '--verify', name).then(Boolean, () => false)

  if (!(await exists('HEAD'))) return { note: 'skipped: git cannot read this clone' }
  const range = (await exists('origin/main')) ? ['origin/main..HEAD'] : ['--max-count=1', 'HEAD']
  const [start] = await lines('log', '--max-count=1', '--diff-filter=A', '--format=%H', '--', 'scripts/lib/commits.ts')
  if (start === undefined) return { note: 'skipped: the check itself is not committed' }
  const younger = new Set(await lines('rev-list', '--ancestry-path', `${start}..HEAD`))
  const checked = (await lines('rev-list', '--no-merges', ...range)).filter((commit) => younger.has(commit))

  const problems: string[] = []
  for (const commit of checked) {
    const message = await git('show', '--no-patch', '--format=%B', commit)
    const [subject] = message.split('\n', 1)
    for (const problem of messageProblems(message)) problems.push(`${commit.slice(0, 8)} ${subject}: ${problem}`)
  }
  if (problems.length > 0) throw new Stop(problems.join('\n'))
  return { note: `${checked.length} commits` }
}
