import { expect } from 'vitest'

// Fixes the seed of random test cases. Only changed sources can then change the mutation score.
if (expect.getState().testPath?.endsWith('.prop.test.ts')) {
  const { default: fc } = await import('fast-check')
  fc.configureGlobal({ ...fc.readConfigureGlobal(), seed: 1 })
}
