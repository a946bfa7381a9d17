import { expect, it } from 'vitest'
import { orderedBy } from './compile-in-order.ts'
import { hostTarget, type Runtime, type Target } from './target.ts'

const here = hostTarget() ?? 'linux-x64-baseline'
const elsewhere: Target = here.startsWith('linux-arm64') ? 'linux-x64' : 'linux-arm64'
const tools = (runtime: Runtime, target: Target) => ({ runtime, target, version: '1', compiler: 'c', base: 'b' })

it.each([
  ['by VERSION unless it is told otherwise', tools('bun', here), undefined, 'plugin'],
  ['by --help for a command', tools('bun', here), 'command', 'command'],
  ['not where it is not started', tools('bun', here), false, undefined],
  ['not for another machine, whose executables do not run here', tools('bun', elsewhere), 'plugin', undefined],
  ['not with Node, which has no bytecode', tools('node', here), 'plugin', undefined],
] as const)('an executable is laid out %s', (_, made, smoke, expected) => {
  expect(orderedBy(made, smoke)).toBe(expected)
})
