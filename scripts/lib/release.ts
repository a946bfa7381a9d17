import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { check } from './check.ts'
import { exec, root } from './exec.ts'
import { faults, type Packed, packAll } from './pack.ts'
import { Stop, say, step } from './progress.ts'
import { changesets, install, makeVersion } from './version.ts'

const work = join(root, 'dist/release')

/** Publish what the registry does not have. Refuses a tree that differs from its commit or still holds changesets. */
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
  await check()
  const packed = await pack(root)
  const missing: Packed[] = []
  await step('which of them the registry has', async () => {
    for (const each of packed) if (!(await isPublished(each))) missing.push(each)
    return { note: `${packed.length - missing.length} of ${packed.length}` }
  })
  for (const each of inOrder(missing)) {
    await step(titleOf(each), () => exec(['npm', 'publish', each.tarball, '--access=public'], { quiet: true }))
  }
}

/** The same in a clone, where versions and CHANGELOGs are made first, up to the upload. */
export async function rehearse() {
  const clone = join(work, 'repository')
  rmSync(work, { recursive: true, force: true })
  await step('a clone of the commit', () => exec(['git', 'clone', '--quiet', '--local', root, clone], { quiet: true }))
  await step('its dependencies', () => install(clone, '--frozen-lockfile'))
  await makeVersion(clone)
  await step('packages (turbo, tsup)', () =>
    exec(['turbo', 'run', 'build', '--output-logs=errors-only'], { quiet: true, cwd: clone }),
  )
  const packed = await pack(clone)
  for (const each of inOrder(packed)) {
    await step(titleOf(each), async () => {
      await exec(['npm', 'publish', each.tarball, '--access=public', '--dry-run'], { quiet: true })
      return { note: `${each.files.size} files, ${(each.bytes / 1e3).toFixed(0)} kB` }
    })
  }
  say(`  Nothing was uploaded. The tarballs: ${join(work, 'packages')}`)
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

/** What a package depends on is there before it. */
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
