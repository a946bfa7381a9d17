import { expect, test } from 'vitest'
import { apiServerUrl, redactKubeconfig, renderKubeconfig } from './kubeconfig.ts'

const content = { server: 'https://10.110.0.1:443', user: 'mesh', token: 'eyJh.e30.x_-', ca: Buffer.from('CA\n') }

test("the text equals kubectl's output", () => {
  expect(renderKubeconfig(content)).toBe(`apiVersion: v1
clusters:
- cluster:
    certificate-authority-data: Q0EK
    server: https://10.110.0.1:443
  name: local
contexts:
- context:
    cluster: local
    user: mesh
  name: mesh-context
current-context: mesh-context
kind: Config
users:
- name: mesh
  user:
    token: eyJh.e30.x_-
`)
})

test('with skipTls no CA is written', () => {
  expect(renderKubeconfig({ ...content, skipTls: true })).toContain(`- cluster:
    insecure-skip-tls-verify: true
    server: https://10.110.0.1:443
  name: local`)
})

test.each([
  ['', '  user: {}\n'],
  ['tok\n', '    token: |\n      tok\n'],
  ['a\nb', '    token: |-\n      a\n      b\n'],
  ['123', '    token: "123"\n'],
  ['1e5', '    token: "1e5"\n'],
  ['true', '    token: "true"\n'],
  ['2001-01-01', '    token: "2001-01-01"\n'],
  ['a: b', '    token: "a: b"\n'],
  ['a #b', '    token: "a #b"\n'],
  ['\u001b[2J"', '    token: "\\u001b[2J\\""\n'],
])('the token %j is written as %j', (token, text) => {
  const written = renderKubeconfig({ ...content, token })
  expect(written.slice(written.indexOf('- name: mesh\n') + '- name: mesh\n'.length).replace('  user:\n', '')).toBe(text)
})

test('an empty CA is omitted', () => {
  expect(renderKubeconfig({ ...content, ca: new Uint8Array() })).toContain('- cluster:\n    server:')
})

test('the redacted text has neither the token nor the CA, also if they span several lines', () => {
  const redacted = redactKubeconfig(renderKubeconfig({ ...content, token: 'sec\nret\n' }))
  expect(redacted).toContain('    token: REDACTED\n')
  expect(redacted).toContain('certificate-authority-data: REDACTED\n')
  expect(redacted).not.toMatch(/sec|ret|Q0EK/)
  expect(redactKubeconfig('users:\n- token: a\n  name: b\n')).toBe('users:\n- token: REDACTED\n  name: b\n')
})

test.each([
  [{ KUBERNETES_SERVICE_HOST: '10.1.1.1', KUBERNETES_SERVICE_PORT: '443' }, 'https://10.1.1.1:443'],
  [{ KUBERNETES_SERVICE_HOST: 'fd00::1', KUBERNETES_SERVICE_PORT: '6443' }, 'https://[fd00::1]:6443'],
  [
    { KUBERNETES_SERVICE_HOST: 'api', KUBERNETES_SERVICE_PORT: '80', KUBERNETES_SERVICE_PROTOCOL: 'http' },
    'http://api:80',
  ],
])('%j gives the URL %s', (env, url) => {
  expect(apiServerUrl(env)).toBe(url)
})

test.each([
  [{}, 'KUBERNETES_SERVICE_HOST is not set'],
  [{ KUBERNETES_SERVICE_HOST: 'a' }, 'KUBERNETES_SERVICE_PORT is not set'],
  [{ KUBERNETES_SERVICE_HOST: 'a b', KUBERNETES_SERVICE_PORT: '1' }, 'is not the URL'],
  [{ KUBERNETES_SERVICE_HOST: 'a', KUBERNETES_SERVICE_PORT: '1\nx: y' }, 'is not the URL'],
])('%j is rejected: %s', (env, message) => {
  expect(() => apiServerUrl(env)).toThrow(message)
})
