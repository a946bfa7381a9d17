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

describe('an iptables that may not be started', () => {
  // Its interpreter is no program: the kernel says what it says of a start that a security module forbids.
  beforeEach(() => {
    const bin = join(node.runDir, 'bin')
    mkdirSync(bin)
    writeFileSync(join(bin, 'iptables-restore'), '#!/etc/passwd\n', { mode: 0o755 })
    vi.stubEnv('PATH', bin)
  })

  test.each([
    ['ADD', {}],
    ['STATUS', { conf: { cniVersion: '1.1.0' } }],
  ])('is code 50 of %s, and no missing package', async (verb, options) => {
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

describe('state behind symbolic links that lead in a circle', () => {
  beforeEach(() => symlinkSync('attachments', join(node.runDir, 'attachments')))

  test.each([
    ['ADD', {}],
    ['CHECK', {}],
    ['GC', { conf: { cniVersion: '1.1.0', 'cni.dev/valid-attachments': [] } }],
  ])('is code 5 of %s, with its path', async (verb, options) => {
    const { exitCode, document } = await node.call(verb, options)
    expect({ exitCode, document }).toMatchObject({
      exitCode: 1,
      document: { code: 5, msg: expect.stringMatching(/^state file .*\/attachments.*ELOOP/) },
    })
    expect(await node.rules()).not.toContain('ISTIO')
  })

  test('does not keep DEL from its work', async () => {
    expect(await node.call('DEL')).toMatchObject({ exitCode: 0, stdout: '' })
  })
})
