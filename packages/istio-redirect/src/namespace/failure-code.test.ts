import { IptablesError } from '@cni/iptables'
import { NetnsError } from '@cni/netns'
import { NftError } from '@cni/nftables/wire'
import { CniError, cniErrorKey, toErrorDocument } from '@cni/types'
import { describe, expect, test } from 'vitest'
import { withFailureCode } from './failure-code.ts'

describe('a failure without a code of its own', () => {
  test.each<[IptablesError['code'], number]>([
    ['NO_BINARY', 50],
    ['NO_MODULE', 50],
    ['DENIED', 50],
    ['LOCKED', 11],
    ['TIMEOUT', 11],
    ['ABORTED', 11],
    ['EXIT', 5],
    ['PARSE', 5],
  ])('such as %s of iptables gets code %i and the stderr of the program', (code, expected) => {
    const error = new IptablesError(code, 'iptables-restore failed', { stderr: 'line 2 failed\n' })
    const { msg, ...rest } = toErrorDocument(withFailureCode(error))
    expect({ msg, rest }).toEqual({
      msg: 'iptables-restore failed',
      rest: { code: expected, details: 'line 2 failed' },
    })
  })

  const fault = { text: 'Add a rule', index: 3, errno: 2 }
  test.each([
    ['without privileges', new NftError('DENIED', 'it failed'), 50],
    ['without nf_tables', new NftError('UNSUPPORTED', 'it failed'), 50],
    ['while another program writes', new NftError('CHANGED', 'it failed'), 11],
    [
      'with a missing kernel module',
      new NftError('REFUSED', 'it failed', {
        faults: [{ ...fault, code: 'ENOENT', kind: 'rule', part: 'expression 2 (redir) name' }],
      }),
      50,
    ],
    [
      'with a missing chain as jump target',
      new NftError('REFUSED', 'it failed', {
        faults: [{ ...fault, code: 'ENOENT', kind: 'rule', part: 'expression 2 (immediate) data' }],
      }),
      5,
    ],
    [
      'with another refusal of the kernel',
      new NftError('REFUSED', 'it failed', { faults: [{ ...fault, code: 'EINVAL' }] }),
      5,
    ],
  ])('in native rules %s gets a code', (_, error, code) => {
    expect(toErrorDocument(withFailureCode(error))).toMatchObject({ code, msg: 'it failed' })
  })

  test.each([
    ['ENETDOWN', 5, 'lo has to be up before'],
    ['ENODEV', 5, 'an interface of the pod is gone'],
    ['ELOOP', 5, 'symbolic links lead in a circle'],
    ['ENOSYS', 50, 'does not have this system call'],
    ['EPERM', 50, undefined],
    ['EACCES', 5, undefined],
    ['ENOMEM', 11, undefined],
    ['EMFILE', 11, undefined],
    ['NO_FFI', 50, undefined],
    ['NO_NSENTER', 50, undefined],
  ])('such as %s of a namespace or a file gets code %i', (errno, code, hint) => {
    for (const error of [new NetnsError(errno, 'it failed'), Object.assign(new Error('it failed'), { code: errno })]) {
      const document = toErrorDocument(withFailureCode(error))
      expect(document).toMatchObject({ code, msg: 'it failed' })
      expect(document.details).toEqual(hint === undefined ? undefined : expect.stringContaining(hint))
    }
  })
})

test('a code of its own is kept', () => {
  const drift = Object.assign(new IptablesError('DRIFT', 'rules differ'), { [cniErrorKey]: { code: 100 } })
  for (const error of [new CniError(7, 'bad'), drift]) expect(withFailureCode(error)).toBe(error)
})

test.each([
  ['a namespace that cannot be left', new NetnsError('RESTORE_FAILED', 'stuck')],
  ['an error of the program', new TypeError('x is not a function')],
  ['an error of the runtime', Object.assign(new TypeError('bad'), { code: 'ERR_INVALID_ARG_TYPE' })],
  ['a text', 'boom'],
])('%s is unexpected and is returned unchanged', (_, error) => {
  expect(withFailureCode(error)).toBe(error)
})
