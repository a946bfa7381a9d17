import { afterAll, beforeEach, expect, test } from 'vitest'
import { current } from '../handle/open.ts'
import { CLONE_NEWNET } from '../sys/constants.ts'
import { type Sys, SysError } from '../sys/sys.ts'
import { createRunner, type Runner } from './runner.ts'

// A Sys that enters nothing, writes down what it was asked, and fails when told to.
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

test('a body runs between going in and coming back', () => {
  expect(runner.run(pod, () => calls.push('body'))).toBe(2)
  expect(calls).toEqual(['setns pod net', 'body', 'setns back net'])
})

test('a body that throws comes back, too, and its error is the one that is thrown', () => {
  const boom = new Error('boom')
  expect(() =>
    runner.run(pod, () => {
      throw boom
    }),
  ).toThrow(boom)
  expect(calls).toEqual(['setns pod net', 'setns back net'])
})

test('a namespace that cannot be entered is not left either', () => {
  fail = (call) => call === 'setns pod net'
  const body = () => calls.push('body')
  expect(() => runner.run(pod, body)).toThrow(expect.objectContaining({ name: 'NetnsError', code: 'EPERM' }))
  expect(calls).toEqual(['setns pod net'])
})

test('when the way back fails the error is fatal, keeps both causes, and nothing runs any more', () => {
  fail = (call) => call === 'setns back net'
  const boom = new Error('boom')
  const run = () =>
    runner.run(pod, () => {
      throw boom
    })
  expect(run).toThrow(
    expect.objectContaining({
      code: 'RESTORE_FAILED',
      message: expect.stringContaining('this process must end'),
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

test('the host needs no system call, unless it is entered from inside a pod', () => {
  runner.run('host', () => calls.push('body'))
  expect(calls).toEqual(['body'])
  calls = []
  runner.run(pod, () => runner.run('host', () => calls.push('body')))
  expect(calls).toEqual(['setns pod net', 'setns back net', 'body', 'setns back net', 'setns back net'])
})

test('an async body is refused before it runs', () => {
  const body = async () => calls.push('body')
  // @ts-expect-error a promise
  expect(() => runner.run(pod, body)).toThrow(expect.objectContaining({ code: 'ASYNC_BODY' }))
  expect(calls).toEqual([])
})

test('a body that returns a promise is refused after coming back, and its rejection is not left alone', async () => {
  const unhandled: unknown[] = []
  const listener = (reason: unknown) => unhandled.push(reason)
  process.on('unhandledRejection', listener)
  // @ts-expect-error a promise
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
])('the target %j is refused: nothing given never means here', (target, code) => {
  // @ts-expect-error from JavaScript
  expect(() => runner.run(target, () => calls.push('body'))).toThrow(expect.objectContaining({ code }))
  expect(calls).toEqual([])
})

test('a closed namespace is refused and the thread stays', () => {
  const closed = current()
  closed.close()
  expect(() => runner.run(closed, () => calls.push('body'))).toThrow(expect.objectContaining({ code: 'CLOSED' }))
  expect(calls).toEqual([])
})

const shield = [{ source: '/dev/null', target: '/etc/passwd' }]
const rehearsal = ['unshare 512', 'setns back mnt', 'fchdir', 'chroot .', 'fchdir']
const mounts = ['unshare 131072', 'mount none /', 'mount /dev/null /etc/passwd', 'mount none /etc/passwd']
const restore = ['unshare 512', 'setns back mnt', 'fchdir', 'chroot .', 'fchdir']

test('a shield is raised inside and lowered before coming back', () => {
  runner.run(pod, () => calls.push('body'), { shield })
  expect(calls).toEqual(['setns pod net', ...rehearsal, ...mounts, 'body', ...restore, 'setns back net'])
})

test('a shield that may not be lowered is not raised: the body runs without it', () => {
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

test('a shield with one impossible mount is taken down again: the body runs without it', () => {
  fail = (call) => call === 'mount /dev/null /etc/passwd'
  const errors: unknown[] = []
  runner.run(pod, () => calls.push('body'), { shield, onShieldError: (error) => errors.push(error) })
  expect(calls.slice(-9)).toEqual(['mount none /', 'mount /dev/null /etc/passwd', ...restore, 'body', 'setns back net'])
  expect(errors).toHaveLength(1)
})

test('where `/` cannot be private it is made a slave', () => {
  fail = (call) => call === 'mount none /' && calls.filter((each) => each === call).length === 1
  runner.run(pod, () => calls.push('body'), { shield })
  expect(calls.filter((call) => call === 'mount none /')).toHaveLength(2)
  expect(calls).toContain('body')
})

test('a shield that cannot be lowered is fatal, and the network namespace is still left', () => {
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

test('an error of onShieldError reaches the caller, from outside', () => {
  fail = (call) => call.startsWith('unshare')
  const strict = (error: unknown) => {
    throw error
  }
  expect(() => runner.run(pod, () => calls.push('body'), { shield, onShieldError: strict })).toThrow(
    expect.objectContaining({ name: 'NetnsError', code: 'EPERM', cause: expect.any(SysError) }),
  )
  expect(calls).toEqual(['setns pod net', 'unshare 512', 'setns back net'])
})
