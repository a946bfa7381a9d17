import { readFileSync } from 'node:fs'
import { expect, it } from 'vitest'
import { BUN_VERSION } from './tools.ts'

it('without bun, the error names the version of bun that this package depends on', () => {
  const manifest: { optionalDependencies: Record<string, string> } = JSON.parse(
    readFileSync(new URL('../../package.json', import.meta.url), 'utf8'),
  )
  expect(new Set(Object.values(manifest.optionalDependencies))).toEqual(new Set([BUN_VERSION]))
})
