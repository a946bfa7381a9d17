import { defineConfig } from 'vitest/config'
import all from '../../vitest.config.ts'

const { resolve = {}, ssr = {}, environments = {} } = all

// Unit tests beside the mutated sources, without projects: each project would start for every mutant.
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
