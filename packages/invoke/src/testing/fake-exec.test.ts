import { CniError } from '@cni/types'
import { describe, expect, test } from 'vitest'
import { execPortSuite } from '../../test/exec-port.suite.ts'
import { addPlugin } from '../plugin.ts'
import { getVersionInfo } from '../version-info.ts'
import { fakeExec, outcome } from './fake-exec.ts'

const fake = fakeExec({
  good: {
    ADD: { cniVersion: '1.0.0', ips: [{ address: '10.0.0.2/24' }], extra: 1 },
    VERSION: { cniVersion: '1.1.0', supportedVersions: ['1.0.0', '1.1.0'] },
  },
  bad: () => {
    throw new CniError(7, 'bad', { details: 'dd' })
  },
  silent: () => outcome({ exitCode: 3 }),
  noisy: () => outcome({ exitCode: 3, stderr: 'why\n' }),
  killed: () => outcome({ signal: 'SIGKILL' }),
  stuck: () => new Promise(() => undefined),
})

describe('fake plugins', () => execPortSuite(fake, '/fake'))

test('by default a fake plugin returns its prevResult and supports every version', async () => {
  const exec = fakeExec({ through: {} })
  const call = { containerID: 'c1', netns: '/ns', ifName: 'eth0', path: ['/fake'] }
  const conf = { cniVersion: '1.0.0', name: 'net', type: 'x' }
  const prevResult = { cniVersion: '1.0.0', ips: [{ address: '10.0.0.2/24' }] }
  expect((await addPlugin('through', { ...conf, prevResult }, call, { exec })).document).toEqual(prevResult)
  expect((await getVersionInfo(exec.find('through', ['/']), { exec })).supportedVersions).toContain('0.1.0')
})
