import { describe, expect, it } from 'vitest'
import { bunPackage, bunTarget, notRunnable, TARGETS } from './target.ts'

describe('a target', () => {
  it.each([
    ['linux-x64-baseline', '@oven/bun-linux-x64-baseline', 'bun-linux-x64-baseline'],
    ['linux-x64', '@oven/bun-linux-x64', 'bun-linux-x64'],
    ['linux-arm64', '@oven/bun-linux-aarch64', 'bun-linux-arm64'],
    ['linux-x64-baseline-musl', '@oven/bun-linux-x64-musl-baseline', 'bun-linux-x64-baseline-musl'],
    ['linux-x64-musl', '@oven/bun-linux-x64-musl', 'bun-linux-x64-musl'],
    ['linux-arm64-musl', '@oven/bun-linux-aarch64-musl', 'bun-linux-arm64-musl'],
  ] as const)('%s is %s on npm, %s to bun', (target, name, flag) => {
    expect([bunPackage(target), bunTarget(target)]).toEqual([name, flag])
  })

  it('an executable for another processor or C library is not runnable here, with a reason', () => {
    const here = TARGETS.filter((target) => notRunnable(target, 'bun') === undefined)
    expect(here).toContain(process.arch === 'arm64' ? 'linux-arm64' : 'linux-x64')
    expect(new Set(here.map((target) => `${target.includes('arm64')} ${target.endsWith('-musl')}`)).size).toBe(1)
    const elsewhere = process.arch === 'arm64' ? 'linux-x64' : 'linux-arm64'
    expect(notRunnable(elsewhere, 'small')).toContain(`${elsewhere} does not run on this machine`)
  })
})
