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
  it('writes a project into a folder of its name, and says what comes next', async () => {
    const { code, out } = await run(['my-plugin', '--kind', 'thick', '--agent=false'])
    expect(code).toBe(0)
    expect(out).toContain('cd my-plugin')
    expect(readFileSync('my-plugin/src/shim.ts', 'utf8')).toContain("name: 'my-plugin'")
    expect(readdirSync('.')).toEqual(['my-plugin'])
  })

  it('gives the folder the mode that any folder gets here', async () => {
    mkdirSync('any')
    await run(['mine'])
    expect(statSync('mine').mode).toBe(statSync('any').mode)
  })

  it('never touches a folder that holds anything', async () => {
    mkdirSync('mine')
    writeFileSync('mine/notes', 'keep')
    const { code, err } = await run(['mine'])
    expect(code).toBe(1)
    expect(err).toContain('mine is not empty (notes): choose another name')
    expect(readdirSync('mine')).toEqual(['notes'])
    expect(readdirSync('.')).toEqual(['mine'])
  })

  it('takes a folder that is empty, and refuses a file', async () => {
    mkdirSync('mine')
    expect((await run(['mine'])).code).toBe(0)
    writeFileSync('file', '')
    expect((await run(['file'])).err).toContain('file is a file')
  })

  it('asks for what is not said, and for nothing else', async () => {
    const { code } = await run(['mine', '--rules', 'routes'], async (known) => {
      expect(known).toEqual({ name: 'mine', kind: undefined, rules: 'routes', agent: undefined })
      return { name: 'mine', kind: 'main', rules: 'routes', agent: false }
    })
    expect(code).toBe(0)
    expect(readFileSync('mine/src/main.ts', 'utf8')).toContain('pluginMain(plugin())')
  })

  it('writes nothing when the person goes away', async () => {
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
    [['a', '--kind', 'ipam', '--agent'], 'flag --agent: an IPAM plugin is no entry of a list'],
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
    [{ npm_config_kind: 'main' }, ['mine'], 'npm kept --kind to itself'],
    [
      { npm_config_kind: 'true', npm_config_rules: 'true' },
      ['mine', 'main', 'routes'],
      'npm kept --kind, --rules to itself',
    ],
    [{ npm_config_agent: '' }, ['mine'], 'npm create cni-plugin NAME -- --agent'],
    [{ npm_config_dry_run: 'true' }, ['mine'], 'npm kept --dry-run to itself'],
  ])('flags before -- are refused, for npm keeps them: %j', async (env, argv, problem) => {
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

  it('takes flags that stand in the variables of npm as well as here', async () => {
    const { code, out } = await run(['mine', '--kind=main'], undefined, { npm_config_kind: 'main' })
    expect(code).toBe(0)
    expect(out).toContain('mine: main')
  })

  it('answers --help and --version', async () => {
    expect((await run(['--help'])).out).toContain('--kind')
    expect((await run(['--version'])).out).toMatch(/^create-cni-plugin \d/)
  })
})
