import { run } from '@cni/host'
import { describe, expect, it } from 'vitest'

const isDeep = process.env.CNI_DEEP === '1' && process.getuid?.() === 0

describe.runIf(isDeep)('A soak of five minutes (with CNI_DEEP=1, as root)', () => {
  it('ends with correct rules and without growth', { timeout: 1_200_000 }, async () => {
    const argv = [process.execPath, 'scripts/soak.ts', '--minutes=5', '--adds=300', '--no-install'] as const
    const { stdout } = await run(argv)
    expect(stdout).not.toContain('grows')
  })
})
