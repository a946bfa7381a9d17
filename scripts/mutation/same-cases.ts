import { expect } from 'vitest'

// Fixes the seed of random test cases. A changed mutation score is then caused by changed sources, not by other cases.
if (expect.getState().testPath?.endsWith('.prop.test.ts')) {
  const { default: fc } = await import('fast-check')
  fc.configureGlobal({ ...fc.readConfigureGlobal(), seed: 1 })
}
