import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import debug from 'debug'
import { afterEach, expect, onTestFinished, test, vi } from 'vitest'
import { storedPod } from '../../test/pods.ts'
import { loadKubeconfig } from '../config/kubeconfig.ts'
import { startApiServer } from '../testing/api-server.ts'
import { kubeClient } from './client.ts'

afterEach(() => {
  vi.unstubAllEnvs()
  vi.restoreAllMocks()
  debug.disable()
})

test('DEBUG=cni:kube traces requests with status and time, but never the token, for any pod name', async () => {
  await using api = await startApiServer({ pods: [storedPod({ namespace: 'demo', name: 'web' })] })
  const folder = mkdtempSync(join(tmpdir(), 'kube-debug-'))
  onTestFinished(() => rmSync(folder, { recursive: true }))
  const access = await loadKubeconfig(api.writeKubeconfig(folder))
  vi.stubEnv('DEBUG', 'cni:*')
  debug.enable('cni:*')
  let text = ''
  vi.spyOn(process.stderr, 'write').mockImplementation((chunk) => {
    text += String(chunk)
    return true
  })
  const client = kubeClient(access)
  const signal = AbortSignal.timeout(5000)
  await client.get('/api/v1/namespaces/demo/pods/web', { signal })
  await client.get('/api/v1/namespaces/demo/pods/%1B[2J%E2%80%AE', { signal }).catch(() => {})
  await vi.dynamicImportSettled()
  expect(text).toMatch(/cni:kube GET url="https:.*\/pods\/web" status=200 ms=[\d.]+/)
  expect(text).toContain('status=404')
  expect(text).not.toContain(api.token)
  expect(text).toMatch(/^[\x20-\x7e\n]*$/)
})
