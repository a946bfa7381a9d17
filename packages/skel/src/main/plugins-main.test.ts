import { definePlugin, pluginsMain } from '@cni/skel'
import { expect, it } from 'vitest'
import { answerUnknown, calledBy } from './plugins-main.ts'

const plugin = (name: string, about?: string) =>
  definePlugin({ name, ...(about === undefined ? {} : { about }), add: () => ({}) })

it.each<[argv0: string, script: string | undefined, name: string]>([
  ['/opt/cni/bin/first', '/$bunfs/root/built', 'first'],
  ['first', '/$bunfs/root/second.js', 'first'],
  ['./second', './second', 'second'],
  ['/opt/cni/bin/third', '/$bunfs/root/first', 'third'],
  ['/opt/cni/bin/third', '/$bunfs/root/first.js', 'third'],
  ['/opt/cni/bin/third', '/opt/cni/bin/third', 'third'],
  ['node', '/work/second.cjs', 'second'],
  ['/usr/bin/node', '/work/a.b.mjs', 'a.b'],
  ['node', undefined, 'node'],
])('a process called as %s with %s has the name %s', (argv0, script, name) => {
  expect(calledBy(['first', 'second'], argv0, script)).toBe(name)
})

it('an empty set of plugins, or the same plugin twice, is rejected at once', () => {
  expect(() => pluginsMain({})).toThrow('pluginsMain: expected at least one plugin')
  const first = plugin('first')
  expect(() => pluginsMain({ first, second: first })).toThrow(
    new TypeError(
      'pluginsMain: second: expected the plugin "second", got "first": the plugins of one file are told apart by their names',
    ),
  )
})

it('with an unknown name, the help lists the plugins and their versions', async () => {
  const plugins = { first: plugin('first', 'does one thing'), 'second-one': async () => plugin('second-one') }
  expect((await answerUnknown('third', plugins, ['--help'])).stdout).toBe(
    'third: several CNI plugins in one file, each by the name it is called:\n\n' +
      '  first        does one thing\n  second-one   a CNI plugin\n',
  )
  const { stdout } = await answerUnknown('third', plugins, ['--version'])
  expect(stdout).toMatch(/^first \S+ \(.*\)\nsecond-one \S+ \(.*\)\n$/)
})
