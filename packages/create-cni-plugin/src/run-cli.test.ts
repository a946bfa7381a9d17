import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import type { Questions } from './questions.ts'
import { runCli } from './run-cli.ts'

const before = process.cwd()
let folder: string
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'create-'))
  process.chdir(folder)
})
afterEach(() => {
  process.chdir(before)
  rmSync(folder, { recursive: true })
})

async function run(argv: readonly string[], ask?: Questions, env: Record<string, string> = {}) {
  let [out, err] = ['', '']
  const code = await runCli(
    argv,
    {
      stdout: (text) => {
        out += text
      },
      stderr: (text) => {
        err += text
      },
      colour: false,
      env,
    },
    ask,
  )
  return { code, out, err }
}

describe('npm create cni-plugin', () => {
  it('writes a project into a folder of its name, and prints the next steps', async () => {
    const { code, out } = await run(['my-plugin', '--kind', 'thick', '--agent=false'])
    expect(code).toBe(0)
    expect(out).toContain('cd my-plugin')
    expect(readFileSync('my-plugin/src/shim.ts', 'utf8')).toContain("name: 'my-plugin'")
    expect(readdirSync('.')).toEqual(['my-plugin'])
  })

  it('gives the folder the default mode for folders', async () => {
    mkdirSync('any')
    await run(['mine'])
    expect(statSync('mine').mode).toBe(statSync('any').mode)
  })

  it('never changes a folder that is not empty', async () => {
    mkdirSync('mine')
    writeFileSync('mine/notes', 'keep')
    const { code, err } = await run(['mine'])
    expect(code).toBe(1)
    expect(err).toContain('mine is not empty (notes): choose another name')
    expect(readdirSync('mine')).toEqual(['notes'])
    expect(readdirSync('.')).toEqual(['mine'])
  })

  it('uses an empty folder, and rejects a file', async () => {
    mkdirSync('mine')
    expect((await run(['mine'])).code).toBe(0)
    writeFileSync('file', '')
    expect((await run(['file'])).err).toContain('file is a file')
  })

  it('asks for missing options only', async () => {
    const { code } = await run(['mine', '--rules', 'routes'], async (known) => {
      expect(known).toEqual({ name: 'mine', kind: undefined, rules: 'routes', agent: undefined })
      return { name: 'mine', kind: 'main', rules: 'routes', agent: false }
    })
    expect(code).toBe(0)
    expect(readFileSync('mine/src/main.ts', 'utf8')).toContain('pluginMain(plugin())')
  })

  it('writes nothing if the user ends the input', async () => {
    expect((await run(['mine'], async () => undefined)).code).toBe(1)
    expect(existsSync('mine')).toBe(false)
  })

  it('--dry-run --json lists the files and writes none', async () => {
    const { code, out } = await run(['mine', '--yes', '--dry-run', '--json'], () => Promise.reject(new Error('asked')))
    expect(code).toBe(0)
    expect(JSON.parse(out)).toMatchObject({
      name: 'mine',
      kind: 'chained',
      rules: 'iptables',
      agent: true,
      written: false,
    })
    expect(existsSync('mine')).toBe(false)
  })

  it.each([
    [[], 'a name is missing'],
    [['../x'], 'got "../x"'],
    [['My-Plugin'], 'got "My-Plugin"'],
    [['a-name-that-is-much-too-long'], 'expected 1 to 20'],
    [['a', 'b'], 'expected one name, got "a", "b"'],
    [['a', '--kind', 'maim'], 'flag --kind has the value "maim": expected chained or main or thick or ipam'],
    [['a', '--kind', 'ipam', '--rules', 'routes'], 'flag --rules: an IPAM plugin writes nothing into a pod'],
    [['a', '--kind', 'ipam', '--agent'], 'flag --agent: an IPAM plugin has no entry in a list'],
    [['a', '--rule', 'routes'], 'unknown flag --rule, did you mean --rules?'],
    [['a', '--from', '.'], 'there is no cni-skel-*.tgz in .'],
    [['a', '--from', 'nowhere'], '/nowhere'],
  ])('%j is wrong usage: %s', async (argv, problem) => {
    const { code, err } = await run(argv)
    expect(code).toBe(2)
    expect(err).toContain(problem)
    expect(readdirSync('.')).toEqual([])
  })

  it.each([
    [{ npm_config_kind: 'main' }, ['mine'], 'npm did not pass on --kind'],
    [
      { npm_config_kind: 'true', npm_config_rules: 'true' },
      ['mine', 'main', 'routes'],
      'npm did not pass on --kind, --rules',
    ],
    [{ npm_config_agent: '' }, ['mine'], 'npm create cni-plugin NAME -- --agent'],
    [{ npm_config_dry_run: 'true' }, ['mine'], 'npm did not pass on --dry-run'],
  ])('flags before -- are rejected because npm keeps them: %j', async (env, argv, problem) => {
    const { code, err } = await run(argv, undefined, { npm_config_yes: 'true', ...env })
    expect(code).toBe(2)
    expect(err).toContain(problem)
    expect(readdirSync('.')).toEqual([])
  })

  it('makes an IPAM plugin without rules and agent', async () => {
    const { code, out } = await run(['mine', '--kind', 'ipam'])
    expect([code, out.split('\n')[0]]).toEqual([0, expect.stringMatching(/^mine: ipam, without an agent, \d+ files/)])
    expect(existsSync('mine/src/leases.ts')).toBe(true)
  })

  it('accepts flags that are also set as variables of npm', async () => {
    const { code, out } = await run(['mine', '--kind=main'], undefined, { npm_config_kind: 'main' })
    expect(code).toBe(0)
    expect(out).toContain('mine: main')
  })

  it('answers --help and --version', async () => {
    expect((await run(['--help'])).out).toContain('--kind')
    expect((await run(['--version'])).out).toMatch(/^create-cni-plugin \d/)
  })
})
