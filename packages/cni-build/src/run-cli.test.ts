import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { cli } from '../test/cli.ts'

describe('cni-build', () => {
  it('--help names every option and exits with 0', async () => {
    const { exitCode, out } = await cli('--help')
    expect(exitCode).toBe(0)
    for (const option of [
      '--outfile',
      '--name',
      '--runtime',
      '--target',
      '--define',
      '--analyze',
      '--bundle',
      '--smoke',
      '--condition',
      '--incremental',
      '--no-minify',
      '--no-snapshot',
      '--json',
    ]) {
      expect(out).toContain(option)
    }
  })

  it.each([
    [['-o', 'x'], 'expected one entry, got 0'],
    [['a.ts', 'b.ts', '-o', 'x'], 'expected one entry, got 2'],
    [['a.ts'], '-o FILE is missing'],
    [['a.ts', '-o', 'x', '--smoke', 'maybe'], 'flag --smoke has the value "maybe": expected plugin or command or none'],
    [['a.ts', '-o', 'x', '--jit', 'late'], 'unknown flag --jit'],
    [['a.ts', '-o', 'x', '--runtime', 'deno'], 'flag --runtime has the value "deno": expected small or bun'],
    [['a.ts', '-o', 'x', '--target', 'darwin'], 'flag --target has the value "darwin": expected linux-x64'],
    [['a.ts', '-o', 'x', '--define', 'A'], '--define: expected KEY=VALUE, got "A"'],
    [['a.ts', '-o', 'x', '--incremental'], '--incremental needs --bundle FILE'],
    [['where'], 'where: expected one file, the map that lies beside an executable, got 0'],
    [['where', 'a', 'b'], 'where: expected one file, the map that lies beside an executable, got 2'],
    [['where', '/dev/null'], 'where: /dev/null is not the map of an executable: Unexpected end of JSON input'],
    [['inspect', ''], 'inspect: expected one file, an executable, got 1'],
    [['inspect', 'package.json'], 'inspect: package.json is not an executable with the small runtime'],
    [['inspect', '/bin/true'], 'inspect: /bin/true is not an executable with the small runtime'],
    [['a.ts', '--frobnicate'], 'unknown flag --frobnicate\nTry: cni-build --help'],
    [['a.ts', '--targt', 'x'], 'unknown flag --targt, did you mean --target?'],
    [['a.ts', '--no-target'], 'unknown flag --no-target'],
    [['a.ts', '-o', 'x', '--outfile=y'], 'flag --outfile is given twice'],
    [['a.ts', '-o', 'x', '--no-minify', '--no-minify'], 'flag --no-minify is given twice'],
    [['', '-o', 'x'], 'the entry is an empty string'],
    [['a.ts', '-o', tmpdir()], `outfile ${tmpdir()}: a folder; name the file in it, for example ${tmpdir()}/my-plugin`],
    [['a.ts', '-o', 'nowhere/'], 'outfile nowhere/: a folder'],
    [['a.ts', '-o', '..'], 'outfile ..: a folder'],
    [['a.ts', '-o', '/dev/null'], 'outfile /dev/null: it exists and is not a regular file'],
    [['a.ts', '-o', './a.ts'], 'outfile ./a.ts: that is the entry'],
    [['a.ts', '-o', 'x', '--bundle', './x'], 'bundle ./x: that is outfile'],
    [['a.ts', '-o', 'x', '--name', 'bin/y'], 'name "bin/y": expected the name of a file beside'],
    [['a.ts', '-o', 'x', '--name', '..'], 'name "..": expected the name of a file beside'],
    [['a.ts', '-o', 'x', '--name', ''], 'name "": expected the name of a file beside'],
    [['a.ts', '-o', 'bin/x', '--name', 'x'], 'name x: given twice; each name is one plugin'],
    [['a.ts', '-o', 'x', '--name', 'y', '--name', 'y'], 'name y: given twice'],
    [['a.ts', '-o', './x', '--name', 'a.ts'], 'a.ts: that is the entry'],
    [['a.ts', '-o', 'x', '--program', 'y=b.ts'], 'unknown flag --program'],
    [['a.ts', '-o', 'x'.repeat(256)], 'the name is longer than 235 bytes'],
  ])('%j is wrong usage: exit code 2 and a message', async (argv, sentence) => {
    const { exitCode, err, out } = await cli(...argv)
    expect(exitCode).toBe(2)
    expect(err).toContain(sentence)
    expect(out).toBe('')
  })

  it("--version prints its own version and the runtime's", async () => {
    expect((await cli('--version')).out).toMatch(/^cni-build \d+\.\d+\.\d+ \(node \S+\)\n$/)
  })

  it('the error for a missing runtime of another machine contains the install command', async () => {
    const out = join(tmpdir(), 'cni-build-never/out')
    const { exitCode, err } = await cli('a.ts', '-o', out, '--runtime', 'bun', '--target', 'linux-arm64-musl')
    expect(exitCode).toBe(1)
    expect(err).toMatch(
      /@oven\/bun-linux-aarch64-musl is not installed: npm install --save-dev @oven\/bun-linux-aarch64-musl@[0-9.]+ --force\n$/,
    )
  })
})
