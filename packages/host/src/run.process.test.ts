import { getEventListeners } from 'node:events'
import { closeSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { busyFile } from '../test/busy-file.ts'
import { run } from './run.ts'
import { isRunError, RunError } from './run-error.ts'
import type { RunOptions } from './run-types.ts'
import { start } from './start.ts'

let folder: string

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'cni-host-'))
})
afterAll(() => rmSync(folder, { recursive: true }))

const sh = (script: string, options?: RunOptions & { reject?: boolean }) => run(['sh', '-c', script], options)
const failure = async (done: Promise<unknown>): Promise<RunError> => {
  const error = await done.then(
    () => undefined,
    (reason: unknown) => reason,
  )
  if (!isRunError(error)) throw new Error('expected a RunError', { cause: error })
  return error
}
/** Waits until a process is gone or a zombie, with a limit. */
const untilGone = async (pid: number) => {
  const deadline = performance.now() + 5000
  const lives = () => {
    try {
      return !/^State:\s*[ZX]/m.test(readFileSync(`/proc/${pid}/status`, 'utf8'))
    } catch {
      return false
    }
  }
  while (lives()) {
    if (performance.now() > deadline) throw new Error(`process ${pid} is still there`)
    await new Promise((resolve) => setTimeout(resolve, 10))
  }
}
/** Keeps this process busy, so that Node.js handles no event. */
const block = (ms: number): void => void Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, ms)
const blockUntilZombie = (pid: number | undefined): void => {
  const deadline = performance.now() + 5000
  while (!/^State:\s*Z/m.test(readFileSync(`/proc/${pid}/status`, 'utf8'))) {
    if (performance.now() > deadline) throw new Error(`process ${pid} does not end`)
    block(1)
  }
}

describe('a program that succeeds', () => {
  test('returns stdout and stderr separately', async () => {
    expect(await sh('echo out; echo err >&2')).toMatchObject({
      stdout: 'out\n',
      stderr: 'err\n',
      exitCode: 0,
      signal: null,
      failed: false,
      timedOut: false,
      aborted: false,
      command: "sh -c 'echo out; echo err >&2'",
    })
  })

  test('reads its whole input', async () => {
    const input = 'x'.repeat(1_000_000)
    expect((await run(['wc', '-c'], { input })).stdout.trim()).toBe('1000000')
    expect((await run(['cat'], { input: Uint8Array.of(104, 105) })).stdout).toBe('hi')
  })

  test('has an empty stdin without input', async () => {
    expect((await run(['cat'])).stdout).toBe('')
  })

  test('need not read its input', async () => {
    expect((await run(['true'], { input: 'x'.repeat(1_000_000) })).exitCode).toBe(0)
  })

  test("has exactly the given environment, and this process's working directory by default", async () => {
    const { stdout } = await sh('env; pwd', { env: { PATH: '/usr/bin:/bin', ONLY: 'this' }, cwd: '/' })
    expect(stdout).toContain('ONLY=this\n')
    expect(stdout).not.toContain('HOME=')
    expect(stdout).toMatch(/^\/$/m)
  })

  test('keeps characters that are split between chunks', async () => {
    const input = 'ü€😀'.repeat(50_000)
    expect((await run(['cat'], { input })).stdout).toBe(input)
  })

  test('can be followed on stderr while it runs', async () => {
    const seen: string[] = []
    const { stderr } = await sh('echo one >&2; echo two >&2', { stderr: (chunk) => seen.push(chunk.toString()) })
    expect(seen.join('')).toBe('one\ntwo\n')
    expect(stderr).toBe('one\ntwo\n')
  })
})

describe('a program that fails', () => {
  test('rejects with a message that names the command and the first line of stderr', async () => {
    const error = await failure(sh('echo "bad rule" >&2; echo more >&2; exit 3'))
    expect(error).toBeInstanceOf(RunError)
    expect(error.name).toBe('RunError')
    expect(error.message).toBe(
      'Command failed with exit code 3: sh -c \'echo "bad rule" >&2; echo more >&2; exit 3\'\nbad rule',
    )
    expect(error).toMatchObject({ code: 'EXIT', exitCode: 3, failed: true, stderr: 'bad rule\nmore\n' })
  })

  test('resolves with reject: false', async () => {
    expect(await sh('exit 4', { reject: false })).toMatchObject({ failed: true, exitCode: 4 })
  })

  test('by a signal names the signal', async () => {
    const error = await failure(sh('kill -KILL $$'))
    expect(error).toMatchObject({ code: 'SIGNAL', signal: 'SIGKILL', exitCode: null })
    expect(error.message).toMatch(/^Command was killed with SIGKILL: sh/)
  })

  test('because it is missing names the search path', async () => {
    const error = await failure(run(['no-such-program', '-x'], { env: { PATH: '/usr/bin' } }))
    expect(error.code).toBe('NOT_FOUND')
    expect(error.message).toBe('Command not found in /usr/bin: no-such-program -x')
    expect((await failure(run(['/no/such/program']))).code).toBe('NOT_FOUND')
  })

  test('because it is not executable says so', async () => {
    const file = join(folder, 'plain')
    writeFileSync(file, 'text')
    expect((await failure(run([file]))).code).toBe('NOT_EXECUTABLE')
  })

  test('because its interpreter is missing differs from a missing program', async () => {
    const file = join(folder, 'script')
    writeFileSync(file, '#!/no/such/interpreter\n', { mode: 0o755 })
    const error = await failure(run([file]))
    expect(error.code).toBe('NOT_EXECUTABLE')
    expect(error.message).toContain('interpreter')
  })

  test('because its working directory is missing names the directory', async () => {
    const error = await failure(run(['true'], { cwd: '/no/such/folder' }))
    expect(error).toMatchObject({ code: 'NOT_FOUND' })
    expect(error.message).toContain('/no/such/folder')
  })

  test('because of an invalid argument rejects instead of throwing', async () => {
    const { done } = start(['echo', 'a\0b'])
    expect((await failure(done)).code).toBe('SPAWN')
  })
})

describe('a program whose file is being written', () => {
  // A native program. For a script, the kernel starts the interpreter, which only reads the file.
  const busy = (name: string) => {
    const file = join(folder, name)
    return { file, fd: busyFile(file) }
  }

  test('is BUSY for start', async () => {
    const { file, fd } = busy('busy1')
    try {
      expect((await failure(start([file]).done)).code).toBe('BUSY')
    } finally {
      closeSync(fd)
    }
  })

  test('runs as soon as the file is complete', async () => {
    const { file, fd } = busy('busy2')
    const done = run([file])
    setTimeout(() => closeSync(fd), 50)
    expect((await done).exitCode).toBe(0)
  })

  test('fails at the deadline', async () => {
    const { file, fd } = busy('busy3')
    try {
      const error = await failure(run([file], { timeout: 100 }))
      expect(error.code).toBe('BUSY')
    } finally {
      closeSync(fd)
    }
  })
})

describe('a program that takes too long', () => {
  test.each([Number.POSITIVE_INFINITY, 2 ** 31, 1e12])(
    'has no deadline with %d ms, which exceeds the longest timer',
    async (ms) => {
      const { stdout } = await sh('sleep 0.1; echo done', { timeout: ms, killGrace: ms, waitDelay: ms })
      expect(stdout).toBe('done\n')
    },
  )

  test('is ended, and its output is kept', async () => {
    const error = await failure(sh('echo started; exec sleep 60', { timeout: 200 }))
    expect(error).toMatchObject({ code: 'TIMEOUT', timedOut: true, stdout: 'started\n', signal: 'SIGTERM' })
    expect(error.message).toMatch(/^Command timed out after 200 milliseconds: sh/)
  })

  test('is killed if it ignores SIGTERM', async () => {
    const error = await failure(
      sh('trap "" TERM; echo ready; while :; do sleep 1; done', { timeout: 200, killGrace: 100 }),
    )
    expect(error).toMatchObject({ code: 'TIMEOUT', signal: 'SIGKILL' })
  })

  test('has one second between SIGTERM and SIGKILL by default', async () => {
    const controller = new AbortController()
    const signals = vi.spyOn(process, 'kill')
    let isReady: () => void = () => {}
    const ready = new Promise<void>((resolve) => {
      isReady = resolve
    })
    const script = 'trap "" TERM; echo ready >&2; while :; do sleep 1; done'
    const child = start(['sh', '-c', script], { signal: controller.signal, stderr: () => isReady() })
    await ready
    const group = -Number(child.pid)
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
    try {
      controller.abort()
      vi.advanceTimersByTime(999)
      expect(signals.mock.calls).toEqual([[group, 'SIGTERM']])
      vi.advanceTimersByTime(1)
      expect(signals.mock.calls).toEqual([
        [group, 'SIGTERM'],
        [group, 'SIGKILL'],
      ])
    } finally {
      vi.useRealTimers()
      signals.mockRestore()
      child.kill('SIGKILL')
    }
    expect(await failure(child.done)).toMatchObject({ code: 'ABORTED', signal: 'SIGKILL' })
  })

  test('is ended with its children, also if they ignore SIGTERM', async () => {
    const script = 'sh -c \'trap "" TERM; echo $$; exec >&- 2>&-; while :; do sleep 1; done\' & wait'
    const error = await failure(sh(script, { timeout: 300, killGrace: 5000 }))
    await untilGone(Number(error.stdout))
  })
})

describe('a signal', () => {
  test('starts nothing if it is already aborted', async () => {
    const mark = join(folder, 'mark')
    const started = start(['touch', mark], { signal: AbortSignal.abort(new Error('no')) })
    expect(started.pid).toBeUndefined()
    const error = await failure(started.done)
    expect(error).toMatchObject({ code: 'ABORTED', aborted: true, cause: { message: 'no' } })
    expect(() => readFileSync(mark)).toThrow('ENOENT')
  })

  test('ends the program when it aborts', async () => {
    const controller = new AbortController()
    const done = sh('echo $$; exec sleep 60', { signal: controller.signal, stderr: 'capture' })
    setTimeout(() => controller.abort(new Error('enough')), 100)
    expect(await failure(done)).toMatchObject({ code: 'ABORTED', aborted: true, cause: { message: 'enough' } })
  })

  test('has no listener left afterwards', async () => {
    const { signal } = new AbortController()
    const child = start(['true'], { signal })
    expect(getEventListeners(signal, 'abort')).toHaveLength(1)
    await child.done
    expect(getEventListeners(signal, 'abort')).toHaveLength(0)
  })
})

describe('output', () => {
  test('beyond the limit ends the program', async () => {
    const error = await failure(run(['yes'], { maxOutput: 10_000 }))
    expect(error.code).toBe('MAX_OUTPUT')
    expect(error.stdout.length).toBe(10_000)
  })

  test('is returned although a grandchild holds the pipe', async () => {
    const begun = performance.now()
    const { stdout, exitCode } = await sh('sleep 30 & echo $!', { waitDelay: 100 })
    expect(exitCode).toBe(0)
    expect(performance.now() - begun).toBeLessThan(10_000)
    process.kill(Number(stdout), 'SIGKILL')
  })

  test('is complete although this process was busy when the program ended', async () => {
    const trigger = join(folder, 'trigger')
    const child = start(['sh', '-c', `until [ -e ${trigger} ]; do sleep 0.01; done; echo hello`], { waitDelay: 1 })
    // Node.js handles both exits together, before it reads the output of the second program.
    const first = start(['sh', '-c', 'echo >&2'], {
      stderr() {
        writeFileSync(trigger, '')
        blockUntilZombie(child.pid)
        setImmediate(() => block(10))
      },
    })
    blockUntilZombie(first.pid)
    expect((await child.done).stdout).toBe('hello\n')
  })

  test('is kept if it comes from a grandchild that exits in time', async () => {
    expect((await sh('(sleep 0.05; echo late) & echo early', { waitDelay: 10_000 })).stdout).toBe('early\nlate\n')
  })
})

describe('start', () => {
  test('has started the program when it returns', async () => {
    const child = start(['sleep', '60'])
    const command = readFileSync(`/proc/${child.pid}/cmdline`, 'utf8').split('\0')
    expect([basename(command[0] ?? ''), command[1]]).toEqual(['sleep', '60'])
    child.kill('SIGKILL')
    expect((await failure(child.done)).code).toBe('SIGNAL')
  })

  test('creates a process group, which kill reaches', async () => {
    const child = start(['sh', '-c', 'sleep 60 & echo $!; wait'])
    const stat = readFileSync(`/proc/${child.pid}/stat`, 'utf8')
    expect(Number(stat.slice(stat.lastIndexOf(')') + 2).split(' ')[2])).toBe(child.pid)
    setTimeout(() => child.kill(), 100)
    await untilGone(Number((await failure(child.done)).stdout))
  })

  test('may be awaited later without an unhandled rejection', async () => {
    const unhandled: unknown[] = []
    const note = (reason: unknown) => unhandled.push(reason)
    process.on('unhandledRejection', note)
    try {
      const children = [start(['false']), start(['no-such-program'])]
      await run(['sleep', '0.1'])
      expect(unhandled).toEqual([])
      for (const child of children) expect(isRunError(await child.done.catch((error) => error))).toBe(true)
    } finally {
      process.off('unhandledRejection', note)
    }
  })

  test('leaves no process behind when this process exits', async () => {
    const code = `
      import { start } from ${JSON.stringify(new URL('./start.ts', import.meta.url).href)}
      const child = start(['sleep', '60'])
      process.stdout.write(String(child.pid))
      process.exit(7)`
    const file = join(folder, 'exits.mjs')
    writeFileSync(file, code)
    const error = await failure(run([process.execPath, file]))
    expect(error.exitCode).toBe(7)
    await untilGone(Number(error.stdout))
  })

  test('leaves no descriptor behind', async () => {
    const count = () => readdirSync('/proc/self/fd').length
    await run(['true'], { input: 'x' })
    const before = count()
    for (let i = 0; i < 40; i++) await run(['sh', '-c', 'echo a; echo b >&2'], { input: 'x', reject: false })
    expect(count()).toBe(before)
  })
})

test('isRunError recognises an error of another copy of the package', () => {
  expect(isRunError(Object.assign(new Error('x'), { [Symbol.for('cni.RunError')]: true }))).toBe(true)
  expect(isRunError(new Error('x'))).toBe(false)
  expect(isRunError(undefined)).toBe(false)
})
