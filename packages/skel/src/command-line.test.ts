import { describe, expect, it } from 'vitest'
import { answerPerson } from './command-line.ts'
import { definePlugin } from './definition/plugin.ts'

const plugin = definePlugin({ name: 'p', about: 'does little', versions: ['1.0.0', '1.1.0'], add: () => ({}) })
const describer = (_plugin: unknown, what: 'help' | 'schema') => (what === 'help' ? 'all of it\n' : '{}\n')

describe('the command line', () => {
  it.each(['--help', '-h'])('%s is answered in short, and in full with a describer', async (option) => {
    const { exitCode, stdout, stderr } = (await answerPerson(plugin, [option], undefined)) ?? {}
    expect([exitCode, stderr]).toEqual([0, ''])
    expect(stdout).toBe(
      'does little\nCNI protocol versions supported: 1.0.0, 1.1.0\n' +
        'Container runtimes start it with CNI_COMMAND and a configuration on stdin.\n',
    )
    expect(await answerPerson(plugin, [option], describer)).toEqual({ exitCode: 0, stdout: 'all of it\n', stderr: '' })
  })

  it('--version says its own, or that of the packages, and the runtime', async () => {
    const versionOf = async (version?: string) =>
      (
        await answerPerson(
          definePlugin({ ...plugin, ...(version === undefined ? {} : { release: version }) }),
          ['--version'],
          undefined,
        )
      )?.stdout
    expect(await versionOf('4.5.6')).toMatch(/^p 4\.5\.6 \(node \S+\)\n$/)
    expect(await versionOf()).toMatch(/^p \d+\.\d+\.\d+ \(node \S+\)\n$/)
  })

  it('--schema needs a describer', async () => {
    expect(await answerPerson(plugin, ['--schema'], describer)).toEqual({ exitCode: 0, stdout: '{}\n', stderr: '' })
    expect(await answerPerson(plugin, ['--schema'], undefined)).toEqual({
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
    expect(await answerPerson(plugin, args, describer)).toEqual({
      exitCode: 2,
      stdout: '',
      stderr: `p: unknown argument ${quoted}\nTry: p --help\n`,
    })
  })

  it('without arguments, and without a terminal, is for the protocol', async () => {
    expect(await answerPerson(plugin, [], describer)).toBeUndefined()
  })
})
