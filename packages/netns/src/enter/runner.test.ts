import { afterAll, beforeEach, expect, test } from 'vitest'
import { current } from '../handle/open.ts'
import { CLONE_NEWNET } from '../sys/constants.ts'
import { type Sys, SysError } from '../sys/sys.ts'
import { createRunner, type Runner } from './runner.ts'

// Fake `Sys`: enters nothing, records the calls, and fails on request.
let calls: string[]
let fail: (call: string) => boolean
let runner: Runner
const pod = current()

const note = (name: string, ...args: unknown[]) => {
  const call = [name, ...args].join(' ')
  calls.push(call)
  if (fail(call)) throw new SysError(name, 'EPERM', 1, args.join(' '))
}
const fake: Partial<Sys> = {
  name: 'koffi',
  setns: (fd, type) => note('setns', fd === pod.fd ? 'pod' : 'back', type === CLONE_NEWNET ? 'net' : 'mnt'),
  unshare: (flags) => note('unshare', flags),
  mount: (source, target) => note('mount', source, target),
  fchdir: () => note('fchdir'),
  chroot: (path) => note('chroot', path),
}

afterAll(() => pod.close())
beforeEach(() => {
  calls = []
  fail = () => false
  runner = createRunner(() => fake as Sys)
})

test('the body runs after entering and before returning', () => {
  expect(runner.run(pod, () => calls.push('body'))).toBe(2)
  expect(calls).toEqual(['setns pod net', 'body', 'setns back net'])
})

test("the thread returns after a body that throws, and the caller gets the body's error", () => {
  const boom = new Error('boom')
  expect(() =>
    runner.run(pod, () => {
      throw boom
    }),
  ).toThrow(boom)
  expect(calls).toEqual(['setns pod net', 'setns back net'])
})

test('a namespace that could not be entered is not left', () => {
  fail = (call) => call === 'setns pod net'
  const body = () => calls.push('body')
  expect(() => runner.run(pod, body)).toThrow(expect.objectContaining({ name: 'NetnsError', code: 'EPERM' }))
  expect(calls).toEqual(['setns pod net'])
})

test('a failed return is fatal, keeps both causes, and blocks all later calls', () => {
  fail = (call) => call === 'setns back net'
  const boom = new Error('boom')
  const run = () =>
    runner.run(pod, () => {
      throw boom
    })
  expect(run).toThrow(
    expect.objectContaining({
      code: 'RESTORE_FAILED',
      message: expect.stringContaining('in the wrong namespace and must exit'),
      cause: expect.objectContaining({ errors: [expect.objectContaining({ code: 'EPERM' }), boom] }),
    }),
  )
  fail = () => false
  calls = []
  for (const again of [
    () => runner.run(pod, () => calls.push('body')),
    () => runner.run('host', () => calls.push('body')),
    () => runner.runInNew(() => calls.push('body')),
  ]) {
    expect(again).toThrow(expect.objectContaining({ code: 'RESTORE_FAILED' }))
  }
  expect(calls).toEqual([])
})

test("the target 'host' needs a system call only inside a namespace", () => {
  runner.run('host', () => calls.push('body'))
  expect(calls).toEqual(['body'])
  calls = []
  runner.run(pod, () => runner.run('host', () => calls.push('body')))
  expect(calls).toEqual(['setns pod net', 'setns back net', 'body', 'setns back net', 'setns back net'])
})

test('an async body is refused before it runs', () => {
  const body = async () => calls.push('body')
  // @ts-expect-error The body returns a promise.
  expect(() => runner.run(pod, body)).toThrow(expect.objectContaining({ code: 'ASYNC_BODY' }))
  expect(calls).toEqual([])
})

test('a body that returns a promise is refused after the return, and its rejection is handled', async () => {
  const unhandled: unknown[] = []
  const listener = (reason: unknown) => unhandled.push(reason)
  process.on('unhandledRejection', listener)
  // @ts-expect-error The body returns a promise.
  expect(() => runner.run(pod, () => Promise.reject(new Error('lost')))).toThrow(
    expect.objectContaining({ code: 'ASYNC_BODY' }),
  )
  expect(calls).toEqual(['setns pod net', 'setns back net'])
  await new Promise((resolve) => setImmediate(resolve))
  process.off('unhandledRejection', listener)
  expect(unhandled).toEqual([])
})

test.each([
  ['', 'MISSING'],
  [undefined, 'MISSING'],
  [null, 'MISSING'],
  ['/run/netns/blue', 'INVALID'],
  [7, 'INVALID'],
  [{}, 'INVALID'],
])('the target %j is refused: there is no default target', (target, code) => {
  // @ts-expect-error JavaScript callers may pass this.
  expect(() => runner.run(target, () => calls.push('body'))).toThrow(expect.objectContaining({ code }))
  expect(calls).toEqual([])
})

test('a closed namespace is refused before any system call', () => {
  const closed = current()
  closed.close()
  expect(() => runner.run(closed, () => calls.push('body'))).toThrow(expect.objectContaining({ code: 'CLOSED' }))
  expect(calls).toEqual([])
})

const shield = [{ source: '/dev/null', target: '/etc/passwd' }]
const rehearsal = ['unshare 512', 'setns back mnt', 'fchdir', 'chroot .', 'fchdir']
const mounts = ['unshare 131072', 'mount none /', 'mount /dev/null /etc/passwd', 'mount none /etc/passwd']
const restore = ['unshare 512', 'setns back mnt', 'fchdir', 'chroot .', 'fchdir']

test('the shield is set up after entering and removed before returning', () => {
  runner.run(pod, () => calls.push('body'), { shield })
  expect(calls).toEqual(['setns pod net', ...rehearsal, ...mounts, 'body', ...restore, 'setns back net'])
})

test('the body runs without a shield if the process may not remove one', () => {
  fail = (call) => call === 'setns back mnt'
  const errors: unknown[] = []
  runner.run(pod, () => calls.push('body'), { shield, onShieldError: (error) => errors.push(error) })
  expect(calls).toEqual(['setns pod net', 'unshare 512', 'setns back mnt', 'body', 'setns back net'])
  expect(errors).toEqual([
    expect.objectContaining({
      name: 'NetnsError',
      code: 'EPERM',
      message: expect.stringMatching(/^No shield: setns back mnt: EPERM \(needs CAP_SYS_ADMIN and CAP_SYS_CHROOT\b/),
    }),
  ])
})

test('the body runs without a shield if one of its mounts fails', () => {
  fail = (call) => call === 'mount /dev/null /etc/passwd'
  const errors: unknown[] = []
  runner.run(pod, () => calls.push('body'), { shield, onShieldError: (error) => errors.push(error) })
  expect(calls.slice(-9)).toEqual(['mount none /', 'mount /dev/null /etc/passwd', ...restore, 'body', 'setns back net'])
  expect(errors).toHaveLength(1)
})

test('`/` becomes a slave mount if it cannot become private', () => {
  fail = (call) => call === 'mount none /' && calls.filter((each) => each === call).length === 1
  runner.run(pod, () => calls.push('body'), { shield })
  expect(calls.filter((call) => call === 'mount none /')).toHaveLength(2)
  expect(calls).toContain('body')
})

test('a shield that cannot be removed is fatal, and the thread still leaves the network namespace', () => {
  let raised = false
  fail = (call) => {
    raised ||= call === 'body'
    return raised && call === 'setns back mnt'
  }
  expect(() =>
    runner.run(
      pod,
      () => {
        raised = true
      },
      { shield },
    ),
  ).toThrow(expect.objectContaining({ code: 'RESTORE_FAILED' }))
  expect(calls.at(-1)).toBe('setns back net')
})

test('an error of onShieldError reaches the caller after the return', () => {
  fail = (call) => call.startsWith('unshare')
  const strict = (error: unknown) => {
    throw error
  }
  expect(() => runner.run(pod, () => calls.push('body'), { shield, onShieldError: strict })).toThrow(
    expect.objectContaining({ name: 'NetnsError', code: 'EPERM', cause: expect.any(SysError) }),
  )
  expect(calls).toEqual(['setns pod net', 'unshare 512', 'setns back net'])
})
