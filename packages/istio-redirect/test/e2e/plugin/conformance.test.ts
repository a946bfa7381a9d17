import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { conformance } from '@cni/conformance'
import { startApiServer } from '@cni/kube/testing'
import { expect, onTestFinished, test } from 'vitest'
import { meshPod } from '../../../src/testing/pods.ts'
import { COMPILED } from '../../stage/executables.ts'
import { DUAL_STACK } from './pod.ts'

/** Checks of the plugin's own code. Other plugins test the checks of the skeleton. */
const only = ['results', 'del', 'check', 'isolation', 'concurrency', 'errors']

test.each([
  ['iptables', 'REDIRECT', false],
  ['native nftables', 'TPROXY', true],
])(
  'a pod of the mesh is set up as the specification asks, by %s with %s',
  async (_, mode, native) => {
    const folder = mkdtempSync(join(tmpdir(), 'istio-redirect-'))
    onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
    const pod = meshPod({ annotations: { 'sidecar.istio.io/interceptionMode': mode }, proxy: DUAL_STACK })
    const api = await startApiServer({ pods: [pod] })
    onTestFinished(() => api.close())
    api.writeKubeconfig(folder)
    // The API server is in this namespace, and the checks run in the node's namespace. This process marks the first.
    const here = spawn('sleep', ['600'], { stdio: 'ignore' })
    onTestFinished(async () => {
      const closed = once(here, 'close')
      here.kill('SIGKILL')
      await closed
    })
    const plugin = join(folder, 'istio-cni')
    writeFileSync(plugin, `#!/bin/sh\nexec nsenter --net=/proc/${here.pid}/ns/net -- ${COMPILED}\n`, { mode: 0o755 })
    const { namespace, name } = pod.metadata
    const args = `IgnoreUnknown=1;K8S_POD_NAMESPACE=${namespace};K8S_POD_NAME=${name}`
    const conf = { cni_agent_run_dir: folder, native_nftables: native }
    const report = await conformance({ plugin, chained: true, conf, args, only })
    expect(report.results.filter(({ outcome }) => outcome.status === 'fail')).toEqual([])
    expect(report).toMatchObject({ verdict: 'conforms', unchecked: [] })
    expect(api.requests.length).toBeGreaterThan(0)
  },
  240_000,
)
