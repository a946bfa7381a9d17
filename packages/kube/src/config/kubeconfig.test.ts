import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { inspect } from 'node:util'
import { afterAll, describe, expect, onTestFinished, test } from 'vitest'
import { stringify } from 'yaml'
import { createAuthority } from '../testing/certificate.ts'
import { kubeconfigText } from '../testing/kubeconfig-text.ts'
import { loadKubeconfig } from './kubeconfig.ts'

const folder = mkdtempSync(join(tmpdir(), 'kubeconfig-'))
afterAll(() => rmSync(folder, { recursive: true }))

const { cert: ca } = createAuthority('ca')
const token = 'secret-token'

const loadFrom = async (name: string) => loadKubeconfig(join(folder, name))
const load = (text: string, name = 'config') => {
  writeFileSync(join(folder, name), text)
  return loadFrom(name)
}

const document = (change: { cluster?: object; user?: object; top?: object } = {}) => ({
  'current-context': 'here',
  contexts: [{ name: 'here', context: { cluster: 'local', user: 'me' } }],
  clusters: [{ name: 'local', cluster: { server: 'https://10.96.0.1', ...change.cluster } }],
  users: [{ name: 'me', user: { token, ...change.user } }],
  ...change.top,
})
const json = (change?: Parameters<typeof document>[0]) => JSON.stringify(document(change))

describe('the cluster of the current context is loaded', () => {
  test.each([
    ['the bytes of the node agent', kubeconfigText({ server: 'https://10.96.0.1', ca, token })],
    ['JSON', json({ cluster: { 'certificate-authority-data': Buffer.from(ca).toString('base64') } })],
    [
      'YAML with everything YAML has',
      stringify(document({ cluster: { 'certificate-authority-data': Buffer.from(ca).toString('base64') } }), {
        collectionStyle: 'flow',
      }),
    ],
  ])('%s', async (_, text) => {
    const access = await load(text)
    expect(access.server.href).toBe('https://10.96.0.1/')
    expect(access.ca).toBe(ca)
    expect(access.insecure).toBe(false)
    expect(access.token()).toBe(token)
  })

  test('paths are relative to the kubeconfig', async () => {
    writeFileSync(join(folder, 'ca.crt'), ca)
    writeFileSync(join(folder, 'token'), `${token}\n`)
    const access = await load(
      json({ cluster: { 'certificate-authority': 'ca.crt' }, user: { token: '', tokenFile: 'token' } }),
    )
    expect(access.ca).toBe(ca)
    expect(access.token()).toBe(token)
  })

  test('TLS verification may be disabled instead of an authority', async () => {
    const access = await load(kubeconfigText({ server: 'https://10.96.0.1', token }))
    expect(access).toMatchObject({ insecure: true, ca: undefined })
  })

  test('a token in a YAML block with a final newline is trimmed', async () => {
    const access = await load(kubeconfigText({ server: 'https://10.96.0.1', token: `${token}\n` }))
    expect(access.token()).toBe(token)
  })
})

describe('an invalid kubeconfig is rejected with its path and the reason', () => {
  test.each([
    ['empty', '', 'it is not a mapping'],
    ['a list', '- a\n', 'it is not a mapping'],
    ['no current context', json({ top: { 'current-context': '' } }), 'current-context is missing or empty'],
    ['an unknown context', json({ top: { contexts: [] } }), 'contexts has no entry named "here"'],
    ['an unknown cluster', json({ top: { clusters: null } }), 'clusters has no entry named "local"'],
    ['an unknown user', json({ top: { users: [] } }), 'users has no entry named "me"'],
    ['no server', json({ cluster: { server: '' } }), 'server of cluster "local" is missing or empty'],
    ['a server without a scheme', json({ cluster: { server: '10.0.0.1:443' } }), 'server "10.0.0.1:443" is not a URL'],
    ['another scheme', json({ cluster: { server: 'ftp://a' } }), 'server "ftp://a" is not a URL'],
    ['a wrong type', json({ cluster: { server: 5 } }), 'clusters.0.cluster.server is missing or has the wrong type'],
    [
      'an authority that is not base64',
      json({ cluster: { 'certificate-authority-data': '*' } }),
      'certificate-authority-data is not base64',
    ],
    [
      'an authority that is not PEM',
      json({ cluster: { 'certificate-authority-data': 'QUFB' } }),
      'is not a PEM certificate',
    ],
    ['an external login', json({ user: { exec: { command: 'aws' } } }), 'user "me" asks for an external login'],
    ['neither YAML nor JSON', `${json()}}`, 'it is neither YAML nor JSON'],
    ['more than a megabyte', ' '.repeat(1024 * 1024 + 1), 'more than 1048576'],
  ])('%s', async (_, text, reason) => {
    await expect(load(text)).rejects.toMatchObject({ code: 'BAD_KUBECONFIG', message: expect.stringContaining(reason) })
    await expect(load(text)).rejects.toThrow(`kubeconfig ${join(folder, 'config')}: `)
  })

  test.each(['https://admin:hunter2@10.0.0.1', 'https://hunter2@10.0.0.1', 'https://:hunter2@10.0.0.1'])(
    'a server with a password, which is not repeated: %s',
    async (server) => {
      const refused = await load(json({ cluster: { server } })).catch(String)
      expect(refused).toMatch(/server 10\.0\.0\.1 is given with a password/)
      expect(refused).not.toContain('hunter2')
    },
  )

  test.each([
    ['an endless device', () => symlinkSync('/dev/zero', join(folder, 'odd'))],
    ['a folder', () => mkdirSync(join(folder, 'odd'))],
  ])('%s', async (_, place) => {
    place()
    onTestFinished(() => rmSync(join(folder, 'odd'), { recursive: true }))
    await expect(loadFrom('odd')).rejects.toMatchObject({
      code: 'BAD_KUBECONFIG',
      message: `kubeconfig ${join(folder, 'odd')}: it is not a regular file`,
    })
  })

  test('the error for a missing kubeconfig names the agent, and has code 11', async () => {
    const error = await loadFrom('absent').catch((reason: unknown) => reason)
    expect(error).toMatchObject({ code: 'NO_KUBECONFIG', [Symbol.for('cni.error')]: { code: 11 } })
    expect(String(error)).toContain('install-cni')
  })
})

describe('a credential is never repeated', () => {
  test.each([
    ['in an error about it', json({ user: { token: `${token} \u0007` } }), true],
    ['in an error of the JSON parser', `{"a": ${token}`, true],
    ['in an error of the YAML parser', `users: "\n  - ${token}: @${token}`, true],
    ['when the access is printed', json(), false],
  ])('%s', async (_, text, fails) => {
    const outcome = await load(text).catch((error: unknown) => error)
    expect(outcome instanceof Error).toBe(fails)
    expect(inspect(outcome, { depth: 9, showHidden: true }) + JSON.stringify(outcome)).not.toContain(token)
  })
})
