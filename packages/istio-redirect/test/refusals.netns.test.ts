import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { meshPod } from '../src/testing/pods.ts'
import { type Fixture, fixture } from './fixture.ts'

let node: Fixture
beforeEach(async () => {
  node = await fixture(meshPod())
})
afterEach(() => node[Symbol.asyncDispose]())

describe('an iptables that must not be started', () => {
  // Its interpreter is not executable: the kernel's error is the same as for a start that a security module forbids.
  beforeEach(() => {
    const bin = join(node.runDir, 'bin')
    mkdirSync(bin)
    writeFileSync(join(bin, 'iptables-restore'), '#!/etc/passwd\n', { mode: 0o755 })
    vi.stubEnv('PATH', bin)
  })

  test.each([
    ['ADD', {}],
    ['STATUS', { conf: { cniVersion: '1.1.0' } }],
  ])('causes code 50 of %s, without advice about a missing package', async (verb, options) => {
    const { exitCode, document } = await node.call(verb, options)
    vi.unstubAllEnvs()
    expect({ exitCode, document }).toMatchObject({
      exitCode: 1,
      document: { code: 50, msg: expect.stringMatching(/iptables-restore .*may not be started \(EACCES\)/) },
    })
    expect(document.msg).not.toContain('package')
    expect(await node.rules()).not.toContain('ISTIO')
    expect(node.state()).toEqual([])
  })
})

describe('state behind a loop of symbolic links', () => {
  beforeEach(() => symlinkSync('attachments', join(node.runDir, 'attachments')))

  test.each([
    ['ADD', {}],
    ['CHECK', {}],
    ['GC', { conf: { cniVersion: '1.1.0', 'cni.dev/valid-attachments': [] } }],
  ])('causes code 5 of %s, with its path', async (verb, options) => {
    const { exitCode, document } = await node.call(verb, options)
    expect({ exitCode, document }).toMatchObject({
      exitCode: 1,
      document: { code: 5, msg: expect.stringMatching(/^state file .*\/attachments.*ELOOP/) },
    })
    expect(await node.rules()).not.toContain('ISTIO')
  })

  test('does not prevent DEL', async () => {
    expect(await node.call('DEL')).toMatchObject({ exitCode: 0, stdout: '' })
  })
})
