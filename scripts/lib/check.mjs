import { checkDocs } from './docs.mjs'
import { exec, machineNode, node26 } from './exec.mjs'
import { buildPackages } from './executables.mjs'
import { checkPackagesOffline, packAndInspect } from './packages.mjs'
import { step } from './progress.mjs'

/** Lint, types, unused code, package manifests and sizes. */
export async function check() {
  await step('lint and format (biome)', () =>
    exec(['biome', 'ci', '--colors=off', '--error-on-warnings', '.'], { quiet: true }),
  )
  await step('imports: who may import whom, no circles', () =>
    exec([node26, 'scripts/check-imports.ts'], { quiet: true }),
  )
  await step('types (tsc)', () => exec(['tsc', '-p', 'tsconfig.json'], { quiet: true }))
  await step('documentation: code blocks, commands, links', checkDocs)
  // Loaded at use: on a fresh clone typedoc is installed only by now.
  await step('API comments (typedoc)', async () => (await import('./reference.mjs')).checkReference())
  await step('unused files, exports and dependencies (knip)', () =>
    exec(['knip', '--no-config-hints'], { quiet: true }),
  )
  await buildPackages()
  await step('package manifests (publint, attw)', () =>
    exec(['turbo', 'run', 'lint:package', '--output-logs=errors-only'], { quiet: true }),
  )
  await step('built packages on the Node of this machine', async () => {
    const note = await exec([machineNode, 'scripts/smoke.mjs'], { quiet: true })
    return { note: note.trim() }
  })
  await checkPackagesOffline(await packAndInspect())
  await step('sizes (size-limit)', () => exec(['size-limit'], { quiet: true }))
}
