import { existsSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { run } from '@cni/host'
import { tempNetns } from '@cni/netns/testing'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { startStandIn } from '../../src/testing/stand-in.ts'

const dist = fileURLToPath(new URL('../../../../dist', import.meta.url))

/** Two builds of the same source: an executable, and a bundle on Node. */
const RUNTIMES: ReadonlyArray<readonly [name: string, argv: readonly [string, ...string[]]]> = [
  ['compiled', [built(`${dist}/bin/contiv-proxy`)]],
  ['bundle on Node', [process.execPath, built(`${dist}/bundle/contiv-proxy.cjs`)]],
]

let folder: string
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'contiv-'))
})
afterEach(() => rmSync(folder, { recursive: true }))

describe.each(RUNTIMES)('contiv-proxy, %s', (_name, argv) => {
  it('attaches and detaches a pod in a bound namespace', async () => {
    const socket = join(folder, 'run/contiv.sock')
    await using daemon = await startStandIn({ socket, dualStack: true })
    await using pod = await tempNetns()
    const call = (command: string) =>
      run(argv, {
        env: {
          CNI_COMMAND: command,
          CNI_CONTAINERID: 'infra',
          CNI_NETNS: pod.path,
          CNI_IFNAME: 'eth0',
          CNI_PATH: '/opt/cni/bin',
          CNI_ARGS: 'K8S_POD_NAME=utPod;K8S_POD_NAMESPACE=utK8sNS;K8S_POD_INFRA_CONTAINER_ID=infra;',
        },
        input: JSON.stringify({
          cniVersion: '0.3.1',
          name: 'contiv-net',
          type: 'contiv-proxy',
          contiv: { socket, log_file: '' },
        }),
        timeout: 20_000,
        reject: false,
      })
    const added = await call('ADD')
    expect([added.exitCode, JSON.parse(added.stdout)]).toEqual([
      0,
      {
        cniVersion: '0.3.1',
        interfaces: [{ name: 'eth0', sandbox: pod.path }],
        ips: [
          { version: '4', interface: 0, address: '44.55.66.77/22' },
          { version: '6', interface: 0, address: '2016:430::77/100' },
        ],
        dns: {},
      },
    ])
    const again = await call('ADD')
    expect([again.exitCode, JSON.parse(again.stdout)]).toMatchObject([1, { code: 1, msg: 'Contiv:Error creating EP' }])
    expect(await call('DEL')).toMatchObject({ exitCode: 0, stdout: '' })
    expect(daemon.endpoints.size).toBe(0)
    expect(daemon.requests.map(({ netnsInode }) => netnsInode)).toEqual([pod.ino, pod.ino, pod.ino])
  })
})

function built(path: string): string {
  if (!existsSync(path)) throw new Error(`${path} is missing: npm run build`)
  return path
}
