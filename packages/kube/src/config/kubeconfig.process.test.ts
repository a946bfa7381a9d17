import { execFileSync } from 'node:child_process'
import { chmodSync, chownSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { createAuthority } from '../testing/certificate.ts'
import { kubeconfigText } from '../testing/kubeconfig-text.ts'
import { loadKubeconfig } from './kubeconfig.ts'
import { serviceAccountAccess } from './service-account.ts'

test('a kubeconfig that is a pipe without a writer is rejected at once', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'kubeconfig-'))
  onTestFinished(() => rmSync(folder, { recursive: true }))
  const pipe = join(folder, 'pipe')
  execFileSync('mkfifo', [pipe])
  await expect(async () => loadKubeconfig(pipe)).rejects.toMatchObject({
    code: 'BAD_KUBECONFIG',
    message: `kubeconfig ${pipe}: it is not a regular file`,
  })
})

/** Ways to make a file insecure. Only root can change its owner. */
const insecure: [string, (path: string) => void, RegExp][] = [
  ['is writable for its group', (path) => chmodSync(path, 0o660), /may be written by others \(mode 660\)/],
  ['is writable for other users', (path) => chmodSync(path, 0o602), /may be written by others \(mode 602\)/],
  ...(process.geteuid?.() === 0
    ? ([
        [
          'belongs to another user',
          (path: string) => chownSync(path, 12345, 0),
          /belongs to another user \(uid 12345\)/,
        ],
      ] satisfies typeof insecure)
    : []),
]

test.each(insecure)('a kubeconfig or a file that it names is rejected if it %s', async (_, spoil, reason) => {
  const folder = mkdtempSync(join(tmpdir(), 'kubeconfig-'))
  onTestFinished(() => rmSync(folder, { recursive: true }))
  const at = (name: string) => join(folder, name)
  const [config, token, ca] = [at('config'), at('token'), at('ca.crt')] as const
  writeFileSync(config, kubeconfigText({ server: 'https://127.0.0.1:6443', token: 'a.b.c' }), { mode: 0o600 })
  writeFileSync(token, 'a.b.c', { mode: 0o600 })
  writeFileSync(ca, createAuthority('ca').cert, { mode: 0o644 })
  // Kubelet mounts a service account as links into a folder, which it replaces as a whole.
  symlinkSync('token', at('projected'))
  const account = { server: 'https://127.0.0.1:6443', tokenFile: at('projected'), caFile: ca }
  await loadKubeconfig(config)
  expect(serviceAccountAccess(account).token()).toBe('a.b.c')

  spoil(config)
  await expect(async () => loadKubeconfig(config)).rejects.toMatchObject({
    code: 'BAD_KUBECONFIG',
    message: expect.stringMatching(reason),
  })
  spoil(token)
  expect(() => serviceAccountAccess(account)).toThrow(reason)
})
