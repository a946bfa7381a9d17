import { expect } from 'vitest'

// Random cases are the same in every run: a score that changes has a reason in the sources.
if (expect.getState().testPath?.endsWith('.prop.test.ts')) {
  const { default: fc } = await import('fast-check')
  fc.configureGlobal({ ...fc.readConfigureGlobal(), seed: 1 })
}
