import { checkCommits } from './commits.ts'
import { checkDocs } from './docs.ts'
import { exec, node26 } from './exec.ts'
import { buildPackages } from './executables.ts'
import { checkPackagesOffline, packAndInspect } from './packages.ts'
import { step } from './progress.ts'
import { checkApi } from './public-api.ts'
import { checkReference } from './reference.ts'
import { smokeTest } from './smoke.ts'

/** Lint, commit messages, types, unused code, package manifests and sizes. */
export async function check() {
  await step('lint and format (biome)', () =>
    exec(['biome', 'ci', '--colors=off', '--error-on-warnings', '.'], { quiet: true }),
  )
  await step('imports: who may import whom, no circles', () =>
    exec([node26, 'scripts/check-imports.ts'], { quiet: true }),
  )
  await step('commits: subject and body', checkCommits)
  await step('types (tsc)', () => exec(['tsc', '-p', 'tsconfig.json'], { quiet: true }))
  await step('documentation: code blocks, commands, links', checkDocs)
  await step('API comments (typedoc)', checkReference)
  await step('unused files, exports and dependencies (knip)', () =>
    exec(['knip', '--no-config-hints'], { quiet: true }),
  )
  await buildPackages()
  await step('public API: as recorded in api/', checkApi)
  await step('package manifests (publint, attw)', () =>
    exec(['turbo', 'run', 'lint:package', '--output-logs=errors-only'], { quiet: true }),
  )
  await step('built packages on the Node of this machine', smokeTest)
  await checkPackagesOffline(await packAndInspect())
  await step('sizes (size-limit)', () => exec(['size-limit'], { quiet: true }))
}
