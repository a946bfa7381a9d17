import { expect } from 'vitest'

// Fixes the seed of random cases. A changed score then has its cause in the sources.
if (expect.getState().testPath?.endsWith('.prop.test.ts')) {
  const { default: fc } = await import('fast-check')
  fc.configureGlobal({ ...fc.readConfigureGlobal(), seed: 1 })
}
