import { existsSync, readFileSync, rmSync, watch } from 'node:fs'
import { join } from 'node:path'
import { afterAll, describe, expect, it } from 'vitest'
import { fixtureRuntimes, type Runtime } from './runtimes.ts'
import { type Ended, start as startWith } from './start.ts'

const { folder, runtimes } = await fixtureRuntimes()
afterAll(() => rmSync(folder, { recursive: true }))

const ADD = {
  CNI_COMMAND: 'ADD',
  CNI_CONTAINERID: 'c',
  CNI_NETNS: '/proc/self/ns/net',
  CNI_NETNS_OVERRIDE: '1',
  CNI_IFNAME: 'eth0',
  CNI_PATH: '/',
}
const conf = (members: object): string => JSON.stringify({ cniVersion: '1.1.0', name: 'n', ...members })

describe.each(runtimes)('a plugin as a process, $name', (runtime) => {
  it('only the result gets to stdout, also if handlers and children write to it', async () => {
    const { stdout, stderr, code } = await shell(runtime, '"$@" 2> >(cat >&2) | cat', conf({ behave: 'stray' }))
    expect(JSON.parse(stdout)).toEqual({ cniVersion: '1.1.0' })
    expect(code).toBe(0)
    for (const who of ['console.log', 'console.info', 'process.stdout.write', 'writeSync', 'child']) {
      expect(stderr).toContain(`stray ${who}\n`)
    }
  })

  it('only the result gets to sockets and files, if descriptors can be duplicated', async () => {
    const { stdout, stderr } = await start(runtime, conf({ behave: 'stray' })).done
    expect(stderr).toContain('stray console.log\n')
    expect(stderr).toContain('stray process.stdout.write\n')
    if (runtime.ffi) expect(JSON.parse(stdout)).toEqual({ cniVersion: '1.1.0' })
    const out = join(folder, 'out.txt')
    await shell(runtime, `{ echo before; "$@"; echo after; } > ${out}`, conf({ behave: 'nothing' }))
    const text = readFileSync(out, 'utf8')
    expect(text).toMatch(/^before\n\{[\s\S]*\}after\n$/)
  })

  it.concurrent.each([
    ['a handler that throws', 'throw', 'x is not a function'],
    ['an exception in a timer', 'crashLater', 'boom in a timer'],
    ['an unhandled rejection', 'reject', 'nobody caught this'],
    ['a handler that ends the process', 'exit', 'the plugin ended its process early'],
  ])('%s fails with code 999 and exit code 1', async (_title, behave, msg) => {
    const mark = join(folder, `${behave}-mark`)
    rmSync(mark, { force: true })
    const { stdout, code } = await start(runtime, conf({ behave, mark })).done
    expect(code).toBe(1)
    expect(JSON.parse(stdout)).toEqual({ cniVersion: '1.1.0', code: 999, msg })
    if (behave !== 'exit') expect(readFileSync(mark, 'utf8')).toBe('undone')
  })

  it.concurrent('a handler that never settles is ended at its deadline', async () => {
    const { stdout, code } = await start(runtime, conf({ behave: 'forever' }), { FIXTURE_TIMEOUT: '100' }).done
    expect(code).toBe(1)
    expect(JSON.parse(stdout)).toMatchObject({ code: 11, msg: 'ADD did not finish within 100 ms' })
  })

  it.concurrent.each(['SIGTERM', 'SIGINT', 'SIGHUP'] as const)(
    '%s undoes the call and fails with code 11',
    async (signal) => {
      const mark = join(folder, `${signal}-mark`)
      rmSync(mark, { force: true })
      const { child, done } = start(runtime, conf({ behave: 'never', mark }))
      await appears(mark)
      child.kill(signal)
      const { stdout, code } = await done
      expect(code).toBe(1)
      expect(JSON.parse(stdout)).toMatchObject({ code: 11, msg: `received ${signal}` })
      expect(readFileSync(mark, 'utf8')).toBe('undone')
    },
  )

  it('a full stderr without a reader does not block the call', async () => {
    const pipe = join(folder, 'full')
    // Descriptor 3 keeps the full pipe open for reading, but never reads. Log lines do not fit.
    const fill = `mkfifo ${pipe}; exec 3<>${pipe}; head -c 65536 /dev/zero >&3; "$@" 2>&3 | cat; rm ${pipe}`
    const started = performance.now()
    const { stdout } = await shell(runtime, fill, conf({ behave: 'throw' }))
    expect(JSON.parse(stdout)).toMatchObject({ code: 999 })
    expect(performance.now() - started).toBeLessThan(15_000)
  })

  it('a stdin that never ends blocks neither VERSION nor the deadline', async () => {
    const version = await start(runtime, undefined, { CNI_COMMAND: 'VERSION' }).done
    expect(JSON.parse(version.stdout)).toMatchObject({ cniVersion: '1.1.0' })
    const add = await start(runtime, undefined, { FIXTURE_TIMEOUT: '100' }).done
    expect(JSON.parse(add.stdout)).toMatchObject({ code: 11 })
    // The same with a pipe. It never ends, because it is also open for writing.
    const pipe = join(folder, 'pipe')
    const piped = await shell(runtime, `mkfifo ${pipe}; FIXTURE_TIMEOUT=100 "$@" <> ${pipe} | cat; rm ${pipe}`, '')
    expect(JSON.parse(piped.stdout)).toMatchObject({ code: 11 })
  })

  it('a result of a megabyte is written to a pipe and to a socket', async () => {
    const stdin = conf({ behave: 'nothing', size: 1_000_000 })
    for (const { stdout } of [await shell(runtime, '"$@" | cat', stdin), await start(runtime, stdin).done]) {
      expect(JSON.parse(stdout).dns.domain).toHaveLength(1_000_000)
    }
  })

  it('a configuration of a megabyte is read from a pipe and from a socket', async () => {
    const stdin = conf({ behave: 'nothing', other: 'x'.repeat(1_000_000) })
    for (const { code } of [await shell(runtime, 'cat | "$@" | cat', stdin), await start(runtime, stdin).done]) {
      expect(code).toBe(0)
    }
  })

  it('answers a user: --help, --schema, and a start at a terminal', async () => {
    const bare = { ...runtime, argv: ['/usr/bin/env', '-u', 'CNI_COMMAND', ...runtime.argv] } as const
    const ask = (...args: string[]) => start({ ...bare, argv: [...bare.argv, ...args] }, '').done
    const help = await ask('--help')
    expect([help.code, help.stderr]).toEqual([0, ''])
    expect(help.stdout).toContain('behave   a string (required)\n')
    expect(JSON.parse((await ask('--schema')).stdout)).toMatchObject({ title: 'fixture', required: ['name', 'behave'] })
    expect(await ask('--nonsense')).toMatchObject({ code: 2, stdout: '' })
    // A plugin without a terminal and arguments reports the protocol's error.
    expect(JSON.parse((await ask()).stdout)).toMatchObject({
      code: 4,
      msg: 'required env variables [CNI_COMMAND] missing',
    })
    const words = bare.argv.map((word) => `'${word}'`).join(' ')
    const terminal = await start({ ...runtime, argv: ['script', '-qec', words, '/dev/null'] }, undefined).done
    expect(terminal.stdout.replaceAll('\r', '')).toBe(help.stdout)
  })

  it('ignores arguments if a runtime calls it', async () => {
    const { stdout, code } = await start({ ...runtime, argv: [...runtime.argv, '--help'] }, conf({ behave: 'nothing' }))
      .done
    expect([code, JSON.parse(stdout)]).toEqual([0, { cniVersion: '1.1.0' }])
  })

  it('a closed stdin counts as empty', async () => {
    const { stdout, code } = await shell(runtime, '"$@" <&- | cat', '')
    expect(code).toBe(1)
    expect(JSON.parse(stdout)).toMatchObject({ code: 6 })
  })

  it('a closed stdout, or one without a reader, does not crash the plugin', async () => {
    const { child, done } = start(runtime, undefined)
    child.stdout.destroy()
    child.stdin.end(conf({ behave: 'nothing', size: 1_000_000 }))
    const { code, stderr } = await done
    expect(code).toBe(1)
    expect(stderr).toContain('fixture: could not write the result to stdout: ')
    const closed = await shell(runtime, '"$@" >&-', conf({ behave: 'nothing' }))
    expect([0, 1]).toContain(closed.code)
    expect(closed.stderr).not.toContain('    at ')
  })
})

/** Starts the fixture for an ADD. Without input its stdin stays open. */
const start = (runtime: Runtime, input: string | undefined, env: NodeJS.ProcessEnv = {}) =>
  startWith(runtime, { PATH: process.env.PATH, ...ADD, ...env }, input)

/**
 * Runs a bash line with the fixture as `"$@"`, with real pipes as runtimes use them. Returns the fixture's exit code.
 */
function shell(runtime: Runtime, line: string, input: string): Promise<Ended> {
  const script = `${line}; exit "\${PIPESTATUS[${line.startsWith('cat |') ? 1 : 0}]}"`
  return start({ ...runtime, argv: ['/bin/bash', '-c', script, 'bash', ...runtime.argv] }, input).done
}

async function appears(file: string): Promise<void> {
  const watcher = watch(folder)
  try {
    await new Promise<void>((resolve, reject) => {
      const timer = setTimeout(() => reject(new Error(`${file} did not appear`)), 10_000)
      const look = () => {
        if (!existsSync(file) || readFileSync(file, 'utf8') === '') return
        clearTimeout(timer)
        resolve()
      }
      watcher.on('change', look)
      look()
    })
  } finally {
    watcher.close()
  }
}
