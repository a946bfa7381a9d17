import { defineConfig } from 'vitest/config'
import all from '../../vitest.config.ts'

const { resolve = {}, ssr = {}, environments = {} } = all

// Runs the unit tests beside the mutated sources. Uses no vitest projects, because every project would start again for
// each mutant.
export default defineConfig({
  ...{ resolve, ssr, environments },
  test: {
    include: [`${process.env.MUTATED}/**/*.test.ts`],
    exclude: ['**/*.process.test.ts', '**/node_modules/**'],
    setupFiles: ['scripts/mutation/same-cases.ts'],
    testTimeout: 30_000,
    isolate: false,
  },
})
