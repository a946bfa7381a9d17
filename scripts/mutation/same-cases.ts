import { expect } from 'vitest'

// Fixes the seed of random test cases, so that only changed sources change the mutation score.
if (expect.getState().testPath?.endsWith('.prop.test.ts')) {
  const { default: fc } = await import('fast-check')
  fc.configureGlobal({ ...fc.readConfigureGlobal(), seed: 1 })
}
