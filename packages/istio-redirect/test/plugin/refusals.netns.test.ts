import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { meshPod } from '../../src/testing/pods.ts'
import { type Fixture, fixture } from './fixture.ts'

let node: Fixture
beforeEach(async () => {
  node = await fixture(meshPod())
})
afterEach(() => node[Symbol.asyncDispose]())

/** Its interpreter is not executable: the kernel's error is the same as for a start that a security module forbids. */
function forbidIptables(): void {
  const bin = join(node.runDir, 'bin')
  mkdirSync(bin)
  writeFileSync(join(bin, 'iptables-restore'), '#!/etc/passwd\n', { mode: 0o755 })
  vi.stubEnv('PATH', bin)
}
const loopState = () => symlinkSync('attachments', join(node.runDir, 'attachments'))

const forbidden = /^(?!.*package).*iptables-restore .*may not be started \(EACCES\)/s
const loop = /^state file .*\/attachments.*ELOOP/

test.each([
  ['ADD', 'an iptables that must not be started', forbidIptables, {}, 50, forbidden],
  ['STATUS', 'an iptables that must not be started', forbidIptables, { cniVersion: '1.1.0' }, 50, forbidden],
  ['ADD', 'state behind a loop of symbolic links', loopState, {}, 5, loop],
  ['CHECK', 'state behind a loop of symbolic links', loopState, {}, 5, loop],
  [
    'GC',
    'state behind a loop of symbolic links',
    loopState,
    { cniVersion: '1.1.0', 'cni.dev/valid-attachments': [] },
    5,
    loop,
  ],
])('%s fails for %s', async (verb, _, arrange, conf, code, msg) => {
  arrange()
  const { exitCode, document } = await node.call(verb, { conf })
  vi.unstubAllEnvs()
  expect({ exitCode, document }).toMatchObject({ exitCode: 1, document: { code, msg: expect.stringMatching(msg) } })
  expect(await node.rules()).not.toContain('ISTIO')
  if (arrange === forbidIptables) expect(node.state()).toEqual([])
})

test('DEL succeeds with state behind a loop of symbolic links', async () => {
  loopState()
  expect(await node.call('DEL')).toMatchObject({ exitCode: 0, stdout: '' })
})
