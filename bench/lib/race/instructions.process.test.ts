import { run } from '@cni/host'
import { describe, expect, it } from 'vitest'
import { compiled, root } from '../compiled.ts'
import { findValgrind, kiloInstructions } from './instructions.ts'

const missing = findValgrind() === undefined ? ' (skipped: valgrind is not installed)' : ''

describe.runIf(missing === '')(`counting instructions${missing}`, () => {
  it('is repeatable to one percent for a plugin call on the small runtime', async () => {
    const call = { argv: [await compiled('noop')], env: { CNI_COMMAND: 'VERSION' } } as const
    const [first, second] = [await kiloInstructions(call), await kiloInstructions(call)]
    expect(first).toBeGreaterThan(100)
    expect(Math.abs(first - second) / first).toBeLessThan(0.01)
  })

  it('fails for a program that fails', async () => {
    await expect(kiloInstructions({ argv: ['/bin/false'] })).rejects.toThrow('exit code 1')
  })
})

describe('the suite', () => {
  it('is skipped with a message without valgrind', async () => {
    const flags = ['--conditions=@cni/source', '--disable-warning=ExperimentalWarning']
    const argv = [process.execPath, ...flags, `${root}bench/instructions.ts`] as const
    const { stdout, stderr } = await run(argv, { env: { PATH: '/no/such/folder' } })
    expect(stdout).toBe('')
    expect(stderr).toBe('  skipped: valgrind is not installed (apt-get install valgrind)\n')
  })
})
