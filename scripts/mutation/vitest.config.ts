import { readFileSync } from 'node:fs'
import { resolve as absolute } from 'node:path'
import { defineConfig } from 'vitest/config'
import all from '../../vitest.config.ts'

const { MUTATED = '', TESTED = '' } = process.env
const { resolve = {}, ssr = {}, environments = {} } = all

/** Resolves imports of the mutated package to Stryker's copy, because node_modules links to the original sources. */
const alias = (() => {
  const { name, exports } = JSON.parse(readFileSync(`${MUTATED}/package.json`, 'utf8'))
  return Object.entries<string | { '@cni/source': string }>(exports).flatMap(([entry, target]) => {
    if (typeof target === 'string') return []
    return [{ find: new RegExp(`^${name}${entry.slice(1)}$`), replacement: absolute(MUTATED, target['@cni/source']) }]
  })
})()

// Runs the unit tests of the folders `TESTED`. Does not use vitest's projects, because vitest would start every project
// again for each mutant.
export default defineConfig({
  ...{ ssr, environments },
  resolve: { ...resolve, alias },
  test: {
    include: TESTED.split(',').map((folder) => `${folder}/**/*.test.ts`),
    exclude: ['**/*.{process,netns}.test.ts', '**/node_modules/**'],
    setupFiles: ['scripts/mutation/same-cases.ts'],
    testTimeout: 30_000,
    isolate: false,
  },
})
