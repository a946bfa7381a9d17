import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type Both, both, isBuilt, NOT_BUILT } from './same.ts'

// Programs that print a table. The small runtime must print the same as Node.
const TABLES = ['buffers', 'values', 'files', 'ordering', 'children', 'json']

/** Lines that differ, as `Node | small`. */
function differences(node: string, small: string): string[] {
  const [expected, actual] = [node.split('\n'), small.split('\n')]
  return Array.from({ length: Math.max(expected.length, actual.length) }, (_, index) =>
    expected[index] === actual[index] ? undefined : `${expected[index]} | ${actual[index]}`,
  ).filter((line) => line !== undefined)
}

describe.skipIf(!isBuilt)(`The platform is equal to Node (${NOT_BUILT})`, () => {
  it.for(TABLES)('prints the same table: %s', async (name) => {
    using program = await both(name)
    const [node, small] = await Promise.all([program.onNode(), program.onSmall()])
    expect(differences(node.stdout, small.stdout)).toEqual([])
    expect({ code: small.code, signal: small.signal }).toEqual({ code: node.code, signal: node.signal })
    expect(node.stdout.length).toBeGreaterThan(100)
  })

  it('begins a stack with name and message', async () => {
    using program = await both('stacks')
    const [node, small] = await Promise.all([program.onNode(), program.onSmall()])
    expect(small.stdout).toBe(node.stdout)
  })
})

describe.skipIf(!isBuilt)(`A process ends as on Node (${NOT_BUILT})`, () => {
  let program: Both
  beforeAll(async () => {
    program = await both('crash')
  })
  afterAll(() => program[Symbol.dispose]())

  const WAYS = ['', 'throw', 'timer', 'reject', 'late', 'caught', 'exit', 'exitCode', 'exit in exit', 'stdin']
  it.for(WAYS)('%s', async (way) => {
    const options = { args: [way], env: { MARK: 'ä=b' }, input: 'x'.repeat(200_000) }
    const [node, small] = await Promise.all([program.onNode(options), program.onSmall(options)])
    expect(small.stdout).toBe(node.stdout)
    expect(small.code).toBe(node.code)
    expect(small.stderr === '').toBe(node.stderr === '')
  })

  it('reads environment and arguments anew at each start', async () => {
    const first = await program.onSmall({ args: ['a'], env: { MARK: '1' } })
    const second = await program.onSmall({ args: ['b', 'c'], env: { MARK: '2' } })
    expect([first.stdout, second.stdout]).toEqual([
      '3 ["a"] 1\nexit 0 undefined\n',
      '4 ["b","c"] 2\nexit 0 undefined\n',
    ])
  })
})
