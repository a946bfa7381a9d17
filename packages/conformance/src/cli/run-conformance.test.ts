import { expect, test } from 'vitest'
import { checks } from '../checks.ts'
import { runConformance } from './run-conformance.ts'

async function run(...argv: string[]) {
  let stdout = ''
  let stderr = ''
  const code = await runConformance(argv, {
    stdout: (text) => {
      stdout += text
    },
    stderr: (text) => {
      stderr += text
    },
  })
  return { code, stdout, stderr }
}

test.each([
  [[], 'expected the path of one plugin, got 0 arguments'],
  [['a', 'b'], 'expected the path of one plugin, got 2 arguments'],
  [['a', '--nope'], 'unknown flag --nope'],
  [['a', '--chaind'], 'unknown flag --chaind, did you mean --chained?'],
  [['a', '--only', ''], 'flag --only has the value "": expected at least one'],
  [['a', '--timeout', '0'], 'flag --timeout has the value "0": expected seconds, more than 0 and at most 3600'],
  [['/bin/true', '--only', 'del', '--skip', 'del'], 'Nothing is left to check without del'],
  [['/bin/true', '--cni-version', '1.0'], '"1.0" is no version of the specification; use one of 0.1.0, 0.2.0'],
  [['/bin/true', '--share', '/not/there'], 'There is no "/not/there" to share'],
  [['/bin/true', '--share', '/etc/passwd'], '"/etc/passwd" is not below /run and /var/lib/cni'],
  [['/bin/true', '--only', 'del,nope'], 'Unknown check "nope": use an id or a group that --list shows'],
])('%j is wrong usage: exit code 2', async (argv, message) => {
  const { code, stdout, stderr } = await run(...argv)
  expect([code, stdout]).toEqual([2, ''])
  expect(stderr).toContain(message)
  expect(stderr).toContain('Try: cni-conformance --help')
})

test.each([
  [['/not/there'], 'There is no plugin at "/not/there"'],
  [['/etc/passwd'], 'Not executable: "/etc/passwd"'],
  [['/bin/true', '--conf', '/not/there'], 'Could not read the configuration'],
  [['/bin/true', '--conf', '/etc/passwd'], '/etc/passwd'],
])('%j cannot run: exit code 3', async (argv, message) => {
  const { code, stdout, stderr } = await run(...argv)
  expect([code, stdout]).toEqual([3, ''])
  expect(stderr).toContain(message)
})

test("--version prints its own version and the runtime's", async () => {
  expect((await run('--version')).stdout).toMatch(/^cni-conformance \d+\.\d+\.\d+ \(node \S+\)\n$/)
})

test('--help and --list need no plugin and no root', async () => {
  expect(await run('--help')).toMatchObject({ code: 0, stdout: expect.stringContaining('--chained'), stderr: '' })
  const { code, stdout } = await run('--list')
  expect(code).toBe(0)
  for (const { id, title } of checks) expect(stdout).toContain(`${id.padEnd(28)}${title}`)
})

test('every check has a unique id and cites its source', () => {
  expect(new Set(checks.map(({ id }) => id)).size).toBe(checks.length)
  for (const { spec } of checks) expect(spec).toMatch(/^(SPEC|CONVENTIONS)/)
})
