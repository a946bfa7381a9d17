import { describe, expect, test } from 'vitest'
import { delegateEnv, formatCniArgs, pluginEnv, splitCniPath } from './env.ts'

describe('pluginEnv', () => {
  test('inherits all variables and sets all six CNI variables, also the empty ones', () => {
    const inherited = { PATH: '/bin', CNI_ARGS: 'FROM=outside', CNI_NETNS: '/outside', GONE: undefined }
    expect(pluginEnv('STATUS', { path: ['/a', '/b'] }, inherited)).toEqual({
      PATH: '/bin',
      CNI_COMMAND: 'STATUS',
      CNI_CONTAINERID: '',
      CNI_NETNS: '',
      CNI_IFNAME: '',
      CNI_ARGS: '',
      CNI_PATH: '/a:/b',
    })
  })

  test('joins pairs of arguments, and passes a string unchanged', () => {
    const pairs = [['A', '1'] as const, ['B', 'x=y'] as const]
    expect(pluginEnv('ADD', { args: pairs }, {}).CNI_ARGS).toBe('A=1;B=x=y')
    expect(pluginEnv('ADD', { args: 'as;it;is' }, {}).CNI_ARGS).toBe('as;it;is')
  })

  test('DEL passes cached pairs even if they are invalid', () => {
    const pairs = [['A', '1;B=2'] as const, ['', 'x'] as const]
    expect(() => pluginEnv('ADD', { args: pairs }, {})).toThrow('invalid CNI_ARGS pair')
    expect(pluginEnv('DEL', { args: pairs }, {}).CNI_ARGS).toBe('A=1;B=2;=x')
  })
})

test("delegateEnv returns the parent's environment with another verb", () => {
  const env = { CNI_COMMAND: 'CHECK', CNI_ARGS: 'A=1', TRACEPARENT: '00-…' }
  expect(delegateEnv('DEL', env)).toEqual({ ...env, CNI_COMMAND: 'DEL' })
  expect(env.CNI_COMMAND).toBe('CHECK')
})

test.each([[['K;IP', 'v']], [['K=IP', 'v']], [['', 'v']], [['K', '1;IP=10.0.0.1']], [['K', 'a\0b']]])(
  'the ambiguous pair %j is rejected',
  ([key = '', value = '']) => {
    expect(() => formatCniArgs([[key, value]])).toThrow('invalid CNI_ARGS pair')
  },
)

test.each([
  [undefined, []],
  ['', []],
  ['/a::/b:', ['/a', '/b']],
])('CNI_PATH %j has the folders %j', (path, folders) => {
  expect(splitCniPath(path)).toEqual(folders)
})
