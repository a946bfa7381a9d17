import { spawnSync } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'

const MAIN = fileURLToPath(new URL('../main.ts', import.meta.url))

/** Names each module of the gRPC library that Node loads on stderr. */
const HOOK = `import { registerHooks } from 'node:module'
registerHooks({ load(url, context, next) { if (url.includes('@grpc/')) console.error('LOADED', url); return next(url, context) } })`

const loads = (env: Record<string, string>): string => {
  const hook = `--import=data:text/javascript,${encodeURIComponent(HOOK)}`
  const { stdout, stderr } = spawnSync(process.execPath, ['--conditions=@cni/source', hook, MAIN, 'status'], {
    env: { KUBERNETES_SERVICE_HOST: '10.0.0.1', KUBERNETES_SERVICE_PORT: '443', HEALTH_PORT: '0', ...env },
    encoding: 'utf8',
  })
  expect(stdout).toContain('istio-cni on this node')
  return stderr
}

test('install-cni loads the gRPC library only where it has a runtime to ask', () => {
  expect(loads({})).not.toContain('LOADED')
  expect(loads({ CRI_SOCKET: '/run/absent/runtime.sock' })).toContain('LOADED')
})
