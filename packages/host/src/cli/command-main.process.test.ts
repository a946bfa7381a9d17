import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { text } from 'node:stream/consumers'
import { expect, test } from 'vitest'

const kit = new URL('./command-main.ts', import.meta.url)

/** Process with a command: `body` is the body of an asynchronous function with `io`, which returns the exit code. */
function start(body: string, options = '{}') {
  const script = `import { commandMain } from '${kit}'\ncommandMain('it', async (_, io) => {${body}}, ${options})`
  return spawn(process.execPath, ['--disable-warning=ExperimentalWarning', '--input-type=module', '-e', script], {
    env: { NO_COLOR: '' },
  })
}

async function ended(child: ReturnType<typeof start>) {
  const [stdout, stderr, [code]] = await Promise.all([text(child.stdout), text(child.stderr), once(child, 'close')])
  return { stdout, stderr, code }
}

test('output goes to stdout and stderr, and the returned number is the exit code', async () => {
  const child = start(`io.stdout('out'); io.stderr('err'); return 7`)
  expect(await ended(child)).toEqual({ stdout: 'out', stderr: 'err', code: 7 })
})

test('a reader that closes early ends the command without an error, and aborts its signal', async () => {
  const body = `
    process.stdin.resume()
    await new Promise((resolve) => process.stdin.once('end', resolve))
    const end = new Promise((resolve) => io.signal.addEventListener('abort', resolve))
    io.stdout('never read')
    await end
    process.stdin.destroy()
    throw io.signal.reason`
  const child = start(body)
  const stderr = text(child.stderr)
  child.stdout.destroy()
  child.stdin.end()
  const [code] = await once(child, 'close')
  expect([code, await stderr]).toEqual([0, ''])
})

test.each([
  ['1', '{}', 1],
  ['its own', '{ crashed: 3 }', 3],
])('an unexpected error is printed with its stack; exit code: %s', async (_, options, code) => {
  const child = start(`throw new Error('no such thing')`, options)
  const end = await ended(child)
  expect(end).toMatchObject({ stdout: '', code })
  expect(end.stderr).toMatch(/^it: Error: no such thing\n +at /)
})

test('text from other programs is cleaned on its way to stderr', async () => {
  const child = start(`io.stderr('a\\u0007b'); return 0`, `{ cleanStderr: (text) => text.replace('\\u0007', '?') }`)
  expect((await ended(child)).stderr).toBe('a?b')
})
