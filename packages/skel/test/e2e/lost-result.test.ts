import { readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, describe, expect, it } from 'vitest'
import { fixtureRuntimes, type Runtime } from './runtimes.ts'
import { start } from './start.ts'

const { folder, runtimes } = await fixtureRuntimes()
const several = await fixtureRuntimes('several')
afterAll(() => {
  for (const each of [folder, several.folder]) rmSync(each, { recursive: true })
})

const ENV = {
  PATH: process.env.PATH,
  CNI_COMMAND: 'ADD',
  CNI_CONTAINERID: 'c',
  CNI_NETNS: '/proc/self/ns/net',
  CNI_NETNS_OVERRIDE: '1',
  CNI_IFNAME: 'eth0',
  CNI_PATH: '/',
}
const conf = (members: object): string => JSON.stringify({ cniVersion: '1.1.0', name: 'n', ...members })

/** Bash lines that run a plugin as `"$@"` and lose its result. */
const losses: readonly (readonly [string, string])[] = [
  ['stdout is full', '"$@" >/dev/full'],
  ['stdout is open for reading only', '"$@" >&- 1</dev/null'],
  ['the reader of a pipe is gone', 'exec 3> >(:); wait $!; "$@" >&3'],
  ['the reader of a pipe goes away in the middle', '"$@" > >(head -c 1 >/dev/null)'],
]

/** Size of a result that is larger than a pipe. */
const LARGE = 200_000

const run = (runtime: Runtime, line: string, stdin: string, env: NodeJS.ProcessEnv = {}) =>
  start({ ...runtime, argv: ['/bin/bash', '-c', line, 'bash', ...runtime.argv] }, { ...ENV, ...env }, stdin).done

describe.each(runtimes)('an ADD whose result is lost, $name', (runtime) => {
  it.each(losses)('is undone: %s', async (title, line) => {
    const mark = join(folder, 'mark')
    rmSync(mark, { force: true })
    const size = title.includes('middle') ? LARGE : 0
    const { code, stderr } = await run(runtime, line, conf({ behave: 'nothing', mark, size }))
    expect(code).toBe(1)
    expect(stderr).toContain('fixture: could not write the result to stdout: ')
    expect(readFileSync(mark, 'utf8')).toBe('undone')
  })

  it('is undone at its deadline if a full pipe has no reader', async () => {
    const mark = join(folder, 'mark')
    rmSync(mark, { force: true })
    const pipe = join(folder, 'unread')
    // Descriptor 3 keeps the pipe open for reading, but never reads.
    const line = `mkfifo ${pipe}; exec 3<>${pipe}; rm ${pipe}; "$@" >&3`
    const stdin = conf({ behave: 'nothing', mark, size: LARGE })
    const { code, stderr } = await run(runtime, line, stdin, { FIXTURE_TIMEOUT: '300' })
    expect(code).toBe(1)
    expect(stderr).toContain('ADD did not finish within 300 ms')
    expect(readFileSync(mark, 'utf8')).toBe('undone')
  })
})

describe.each(several.runtimes)('one of several plugins in a file, $name', (runtime) => {
  it.each(losses.slice(0, 2))('undoes an ADD whose result is lost: %s', async (_title, line) => {
    const mark = join(several.folder, 'mark')
    rmSync(mark, { force: true })
    const first = join(several.folder, 'first')
    const [file = '', script] = runtime.argv
    const call = script === undefined ? `ln -sf '${file}' '${first}'` : `cp '${script}' '${first}.cjs'`
    const argv: Runtime['argv'] = script === undefined ? [first] : [file, `${first}.cjs`]
    const { code, stderr } = await run({ ...runtime, argv }, `${call}; ${line}`, conf({}), { FIXTURE_MARK: mark })
    expect(code).toBe(1)
    expect(stderr).toContain('first: could not write the result to stdout: ')
    expect(readFileSync(mark, 'utf8')).toBe('undone')
  })
})

describe.each(runtimes)('a handler that fails early, $name', (runtime) => {
  it.concurrent.each([
    ['awaitedLate', 7, 'refused early'],
    ['plainAwaitedLate', 999, 'it broke'],
    ['mappedLate', 11, 'try later'],
    ['dropped', 7, 'refused early'],
    ['droppedThenThrows', 11, 'try later'],
    ['throwsAtOnce', 7, 'refused early'],
    ['throwsInTimer', 7, 'refused early'],
    ['returnsRejected', 7, 'refused early'],
    ['thenable', 7, 'refused early'],
    ['oneOfSeveral', 7, 'refused early'],
    ['carrier', 100, 'drift'],
    ['text', 999, 'only a text'],
  ])('%s fails with code %i', async (behave, code, msg) => {
    const done = await start(runtime, ENV, conf({ behave })).done
    expect(JSON.parse(done.stdout)).toMatchObject({ code, msg })
    expect(done.code).toBe(1)
  })

  it.concurrent('succeeds if it handles the rejection later', async () => {
    const done = await start(runtime, ENV, conf({ behave: 'recovered' })).done
    expect([done.code, JSON.parse(done.stdout)]).toEqual([0, { cniVersion: '1.1.0' }])
  })
})
