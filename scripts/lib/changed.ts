import { exec } from './exec.ts'
import { Stop } from './progress.ts'

/** Returns the commit with which `npm test -- --changed` compares the current sources. */
export async function changedSince(given: string | undefined): Promise<string> {
  if (given !== undefined) {
    const commit = await commitOf(given)
    if (commit === undefined) throw new Stop(`--changed: ${JSON.stringify(given)} is no commit of this clone`, 2)
    return commit
  }
  const head = await commitOf('HEAD')
  const base = await git('merge-base', 'origin/main', 'HEAD')
  const commit = base === undefined || base === head ? await commitOf('HEAD~1') : base
  if (commit === undefined) throw new Stop('--changed: there is no commit to compare with: name one', 2)
  return commit
}

const commitOf = (name: string) => git('rev-parse', '--quiet', '--verify', '--end-of-options', `${name}^{commit}`)

const git = (...argv: string[]) =>
  exec(['git', ...argv], { quiet: true }).then(
    (said) => said.trim(),
    () => undefined,
  )
