import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { cli } from '../test/cli.ts'

// Reading an entry starts the bundler, a process.
describe('cni-build', () => {
  it('names an entry that does not exist and exits with 1', async () => {
    const { exitCode, err } = await cli('/nowhere/main.ts', '-o', join(tmpdir(), 'cni-build-never/out'))
    expect(exitCode).toBe(1)
    expect(err).toContain('/nowhere/main.ts')
  })

  it('--json prints one object, also for a failure', async () => {
    const { out } = await cli('/nowhere/main.ts', '-o', join(tmpdir(), 'cni-build-never/out'), '--json')
    expect(JSON.parse(out)).toMatchObject({ error: { code: 'BUNDLE', message: expect.stringContaining('/nowhere') } })
  })
})
