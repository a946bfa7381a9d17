import { defineConfig } from 'vitest/config'
import all from '../../vitest.config.ts'

const { resolve = {}, ssr = {}, environments = {} } = all

// Avoids vitest's projects, because vitest would start every project again for each mutant.
export default defineConfig({
  ...{ resolve, ssr, environments },
  test: {
    include: (process.env.TESTED ?? '').split(',').map((folder) => `${folder}/**/*.test.ts`),
    exclude: ['**/*.{process,netns}.test.ts', '**/node_modules/**'],
    setupFiles: ['scripts/mutation/same-cases.ts'],
    testTimeout: 30_000,
    isolate: false,
  },
})
