import { checkCommits } from './commits.ts'
import { checkDocs, checkTypes } from './docs.ts'
import { exec, node26 } from './exec.ts'
import { buildPackages } from './executables.ts'
import { checkManifests } from './package-manifests.ts'
import { checkPackagesOffline, packAndInspect } from './packages.ts'
import { step, together } from './progress.ts'
import { checkProse } from './prose/prose.ts'
import { checkApi } from './public-api.ts'
import { checkReference } from './reference.ts'
import { smokeTest } from './smoke.ts'

/** Runs all checks of `npm run check`: lint, commit messages, types, unused code, package manifests and sizes. */
export async function check() {
  await checkLint()
  await together(checkSources, checkPackages)
}

/**
 * Runs biome on the repository.
 *
 * @param since - limits the check to files that have changed since this commit
 */
export const checkLint = (since?: string) =>
  step('lint and format (biome)', () => {
    const files = since === undefined ? ['.'] : ['--changed', `--since=${since}`, '--no-errors-on-unmatched']
    return exec(['biome', 'ci', '--colors=off', '--error-on-warnings', ...files], { quiet: true })
  })

/** Runs the fast checks of source texts, such as import rules and prose rules. */
export async function checkTexts() {
  await step('imports: who may import whom, no circles', () =>
    exec([node26, 'scripts/check-imports.ts'], { quiet: true }),
  )
  await step('commits: subject and body', checkCommits)
  await step('documentation: code blocks, commands, links', checkDocs)
  await step('plain English', checkProse)
}

/** Runs all checks of the sources in sequence. */
export async function checkSources() {
  await checkTexts()
  await step('types (tsc)', checkTypes)
  await step('types of the playground (tsc, DOM)', () => exec(['tsc', '-p', 'playground'], { quiet: true }))
  await step('API comments (typedoc)', checkReference)
  await step('unused files, exports and dependencies (knip)', () =>
    exec(['knip', '--no-config-hints'], { quiet: true }),
  )
}

/** Builds all packages, and checks the built packages. */
export async function checkPackages() {
  await buildPackages()
  await step('public API: as recorded in api/', checkApi)
  const packed = await packAndInspect()
  await step('package manifests (publint, attw)', () => checkManifests(packed))
  await step('built packages on the Node of this machine', smokeTest)
  await checkPackagesOffline(packed)
  await step('sizes (size-limit)', () => exec(['size-limit'], { quiet: true }))
}
