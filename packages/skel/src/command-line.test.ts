import { describe, expect, it } from 'vitest'
import { answerUser } from './command-line.ts'
import { definePlugin } from './definition/plugin.ts'

const plugin = definePlugin({ name: 'p', about: 'does little', versions: ['1.0.0', '1.1.0'], add: () => ({}) })
const describer = (_plugin: unknown, what: 'help' | 'schema') => (what === 'help' ? 'all of it\n' : '{}\n')

describe('the command line', () => {
  it.each(['--help', '-h'])('%s prints a short help, and a complete one with a describer', async (option) => {
    const { exitCode, stdout, stderr } = (await answerUser(plugin, [option], undefined)) ?? {}
    expect([exitCode, stderr]).toEqual([0, ''])
    expect(stdout).toBe(
      'does little\nCNI protocol versions supported: 1.0.0, 1.1.0\n' +
        'Container runtimes start it with CNI_COMMAND and a configuration on stdin.\n',
    )
    expect(await answerUser(plugin, [option], describer)).toEqual({ exitCode: 0, stdout: 'all of it\n', stderr: '' })
  })

  it("--version prints the plugin's release or the packages' version, and the runtime", async () => {
    const versionOf = async (version?: string) =>
      (
        await answerUser(
          definePlugin({ ...plugin, ...(version === undefined ? {} : { release: version }) }),
          ['--version'],
          undefined,
        )
      )?.stdout
    expect(await versionOf('4.5.6')).toMatch(/^p 4\.5\.6 \(node \S+\)\n$/)
    expect(await versionOf()).toMatch(/^p \d+\.\d+\.\d+ \(node \S+\)\n$/)
  })

  it('--schema needs a describer', async () => {
    expect(await answerUser(plugin, ['--schema'], describer)).toEqual({ exitCode: 0, stdout: '{}\n', stderr: '' })
    expect(await answerUser(plugin, ['--schema'], undefined)).toEqual({
      exitCode: 2,
      stdout: '',
      stderr: 'p: it was built without --schema\nTry: p --help\n',
    })
  })

  it.each([
    [['add'], '"add"'],
    [['--help', '--schema'], '"--help --schema"'],
    [['--\u001b[31m'], '"--\\u001b[31m"'],
  ])('%j is a usage error', async (args, quoted) => {
    expect(await answerUser(plugin, args, describer)).toEqual({
      exitCode: 2,
      stdout: '',
      stderr: `p: unknown argument ${quoted}\nTry: p --help\n`,
    })
  })

  it('without arguments and terminal the protocol is served', async () => {
    expect(await answerUser(plugin, [], describer)).toBeUndefined()
  })
})
