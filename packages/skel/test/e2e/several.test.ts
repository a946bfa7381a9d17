import { spawnSync } from 'node:child_process'
import { copyFileSync, linkSync, rmSync, symlinkSync } from 'node:fs'
import { dirname, extname, join } from 'node:path'
import { afterAll, describe, expect, it } from 'vitest'
import { fixtureRuntimes, type Runtime } from './runtimes.ts'

const { folder, runtimes } = await fixtureRuntimes('several')
afterAll(() => rmSync(folder, { recursive: true }))

/** Gives the file another name: the compiled file, or the script of a runtime. */
function runtimeWithName(
  { argv }: Runtime,
  name: string,
  give: (file: string, path: string) => void = linkSync,
): string[] {
  const file = argv.at(-1) ?? ''
  const path = join(dirname(file), `${name}${extname(file)}`)
  rmSync(path, { force: true })
  give(file, path)
  return [...argv.slice(0, -1), path]
}

function call([file = '', ...args]: readonly string[], env: Record<string, string>, input = '') {
  return spawnSync(file, args, { env, input, encoding: 'utf8', timeout: 30_000 })
}

const ADD = {
  CNI_COMMAND: 'ADD',
  CNI_CONTAINERID: 'abc',
  CNI_NETNS: '/proc/self/ns/net',
  CNI_NETNS_OVERRIDE: '1',
  CNI_IFNAME: 'eth0',
  CNI_PATH: '/',
}
const conf = JSON.stringify({ cniVersion: '1.0.0', name: 'n' })

describe.each(runtimes)('several plugins in one file, $name', (runtime) => {
  it.each([
    ['a hard link', linkSync],
    ['a symbolic link', symlinkSync],
    ['a copy', copyFileSync],
  ])('%s runs the plugin of its name', (_kind, give) => {
    for (const [name, mac] of [
      ['first', '02:00:00:00:00:01'],
      ['second-one', '02:00:00:00:00:02'],
    ] as const) {
      const { status, stdout } = call(runtimeWithName(runtime, name, give), ADD, conf)
      expect([status, JSON.parse(stdout)]).toEqual([
        0,
        expect.objectContaining({ interfaces: [{ name: 'eth0', mac }] }),
      ])
    }
  })

  it('VERSION has the versions of that plugin', () => {
    const versions = (name: string) =>
      JSON.parse(call(runtimeWithName(runtime, name), { CNI_COMMAND: 'VERSION' }).stdout).supportedVersions
    expect(versions('first')).toContain('1.1.0')
    expect(versions('second-one')).toEqual(['1.0.0'])
  })

  it.each(['ADD', 'VERSION', ''])('an unknown name is reported with the known names, %j', (command) => {
    const { status, stdout, stderr } = call(runtimeWithName(runtime, 'third'), { ...ADD, CNI_COMMAND: command }, conf)
    expect(status).toBe(1)
    expect(JSON.parse(stdout)).toEqual({
      cniVersion: '1.1.0',
      code: 4,
      msg: 'called as "third", but this file is the plugins first, second-one, misnamed',
      details: 'call it by the name of one of them: a hard link, a symbolic link or a copy',
    })
    expect(stderr).toBe('')
  })

  it('a plugin with another name than its key fails, and does not affect other plugins', () => {
    const { status, stdout } = call(runtimeWithName(runtime, 'misnamed'), ADD, conf)
    expect(status).toBe(1)
    expect(JSON.parse(stdout)).toMatchObject({
      code: 999,
      msg: expect.stringContaining('expected the plugin "misnamed", got "first"'),
    })
    expect(call(runtimeWithName(runtime, 'first'), ADD, conf).status).toBe(0)
  })

  it('--help and --version list all names', () => {
    const ask = (name: string, option: string) => call([...runtimeWithName(runtime, name), option], {})
    expect(ask('first', '--help')).toMatchObject({
      status: 0,
      stdout: expect.stringMatching(
        /^does one thing\n[\s\S]*This file is one plugin for each name it is called by: first, second-one, misnamed\.\n$/,
      ),
    })
    expect(ask('first', '--version').stdout).toMatch(/^first \S+ \(.*\), in one file with second-one, misnamed\n$/)
    expect(ask('second-one', '--version').stdout).toMatch(/^second-one 7\.8\.9 \(/)
    expect(ask('third', '--nonsense')).toMatchObject({
      status: 2,
      stdout: '',
      stderr: expect.stringContaining('third: call it by one of its names: first, second-one, misnamed'),
    })
  })
})
