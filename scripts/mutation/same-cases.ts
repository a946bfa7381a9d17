import { expect } from 'vitest'

// Fixed random cases: a changed score then has its cause in the sources.
if (expect.getState().testPath?.endsWith('.prop.test.ts')) {
  const { default: fc } = await import('fast-check')
  fc.configureGlobal({ ...fc.readConfigureGlobal(), seed: 1 })
}
