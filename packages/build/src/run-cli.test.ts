import { describe, expect, it } from 'vitest'
import { runCli } from './run-cli.ts'

const cli = async (...argv: string[]) => {
  const out: string[] = []
  const err: string[] = []
  const exitCode = await runCli(argv, { out: (line) => out.push(line), err: (line) => err.push(line) })
  return { exitCode, out: out.join('\n'), err: err.join('\n') }
}

describe('cni-build', () => {
  it('--help names every option and exits with 0', async () => {
    const { exitCode, out } = await cli('--help')
    expect(exitCode).toBe(0)
    for (const option of [
      '--outfile',
      '--bundle',
      '--smoke',
      '--jit',
      '--condition',
      '--incremental',
      '--no-minify',
      '--json',
    ]) {
      expect(out).toContain(option)
    }
  })

  it.each([
    [['-o', 'x'], 'expected one entry, got 0'],
    [['a.ts', 'b.ts', '-o', 'x'], 'expected one entry, got 2'],
    [['a.ts'], '-o FILE is missing'],
    [['a.ts', '-o', 'x', '--smoke', 'maybe'], '--smoke: expected plugin, command or none, got "maybe"'],
    [['a.ts', '-o', 'x', '--jit', 'never'], '--jit: expected late or normal, got "never"'],
    [['a.ts', '--frobnicate'], '--frobnicate'],
  ])('%j is wrong usage: exit code 2 and a sentence', async (argv, sentence) => {
    const { exitCode, err, out } = await cli(...argv)
    expect(exitCode).toBe(2)
    expect(err).toContain(sentence)
    expect(out).toBe('')
  })

  it('an entry that does not exist is named, with exit code 1', async () => {
    const { exitCode, err } = await cli('/nowhere/main.ts', '-o', '/nowhere/out')
    expect(exitCode).toBe(1)
    expect(err).toContain('/nowhere/main.ts')
  })
})
