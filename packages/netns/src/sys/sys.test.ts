import { expect, test } from 'vitest'
import { isSysError, SysError } from './sys.ts'

test('isSysError recognises an error of another copy of the package', () => {
  const ours = new SysError('setns', 'EINVAL', 22, '')
  const ofAnotherCopy = Object.assign(new Error('setns: EINVAL'), { [Symbol.for('cni.SysError')]: true })
  expect([ours, ofAnotherCopy, new Error('setns: EINVAL'), 'EINVAL', undefined].map(isSysError)).toEqual([
    ...[true, true, false, false, false],
  ])
  expect(ours).toMatchObject({
    name: 'SysError',
    code: 'EINVAL',
    errno: 22,
    syscall: 'setns',
    message: 'setns: EINVAL',
  })
})
