import { mkdirSync, readFileSync } from 'node:fs'
import { release } from 'node:os'
import { join } from 'node:path'
import { connectFrom } from '@cni/istio-redirect/testing/node'
import { isSysError, loadSys } from '@cni/netns/sys'
import { hideFolder } from '../hide-folder.ts'
import { narrator } from '../narrate.ts'
import type { DemoOptions, NodeMode } from '../options.ts'
import { looksTold } from './looks.ts'
import { PTP, PTP_PORT, type PtpMesh, startPtpMesh } from './ptp-mesh.ts'

const MNT_DETACH = 2
const BY = { 'node-iptables': 'tunnels of vxlan', 'node-ebpf': 'programs of eBPF' } as const

/** Demo of node-level redirection: a pod joins the mesh, and ztunnels start and stop. Returns the exit code. */
export async function runNodeLevelStory(
  { json, folder }: DemoOptions & { readonly folder: string },
  mode: NodeMode,
): Promise<0 | 1> {
  const tell = narrator(json ? process.stderr : process.stdout)
  hideFolder('/run/netns')
  if (mode === 'node-ebpf') leaveBpffs()
  mkdirSync(folder, { recursive: true })
  const looks = looksTold(tell)
  const { look, timed } = looks
  const shared = (): unknown => JSON.parse(readFileSync(join(folder, 'ambient-config/config.json'), 'utf8'))
  {
    await using mesh = await startPtpMesh(folder, mode)
    const { ztunnels } = mesh
    const serves = (name: string) => () => mesh.agent.status().nodeLevel?.ztunnel === `istio-system/${name}`

    tell.chapter(`A throw-away node with a route to each pod: redirected on the node, ${BY[mode]}`)
    await timed('ztunnel-a, which is ready, serves the node', serves('ztunnel-a'))
    look('web reaches the server directly', await connect(mesh), `server from ${PTP.web}`)
    look('ztunnel has seen nothing', ztunnels['ztunnel-a'].forwarded.length, 0)

    tell.chapter('Its namespace is labelled istio.io/dataplane-mode=ambient')
    mesh.label(true)
    await timed('enrolled, which its annotation says', () => mesh.annotation() === 'enabled')
    look('a new connection arrives with its own address', await connect(mesh), `server from ${PTP.web}`)
    look('and passed through ztunnel-a', ztunnels['ztunnel-a'].forwarded.length, 1)

    tell.chapter('A newer ztunnel is ready')
    mesh.ready('ztunnel-b', true)
    await timed('it serves the node', serves('ztunnel-b'))
    look('web is served by it', await connect(mesh), `server from ${PTP.web}`)
    look('which has seen the connection', ztunnels['ztunnel-b'].forwarded.length, 1)

    tell.chapter('No ztunnel is ready any more')
    mesh.ready('ztunnel-a', false)
    mesh.ready('ztunnel-b', false)
    await timed('plugins are told so', () => JSON.stringify(shared()).includes('"ztunnelReady":false'))
    await ztunnels['ztunnel-b'].stop()
    look('web is not led past the mesh', (await connect(mesh)).startsWith('server'), false)

    tell.chapter('The label is removed')
    mesh.label(false)
    await timed('un-enrolled, and its annotation is gone', () => mesh.annotation() === undefined)
    look('a new connection is direct again', await connect(mesh), `server from ${PTP.web}`)
  }
  const as_expected = looks.end()
  const machine = { kernel: release(), node: process.version }
  if (json)
    process.stdout.write(`${JSON.stringify({ as_expected, machine, looks: looks.all, ms: looks.ms }, null, 2)}\n`)
  return as_expected ? 0 : 1
}

async function connect({ at }: PtpMesh): Promise<string> {
  const [connection] = await connectFrom(at.web, 0, [{ host: PTP.server, port: PTP_PORT }])
  const { answer, error } = connection ?? {}
  return answer ? `${answer.served_by} from ${answer.from?.replace('::ffff:', '')}` : (error ?? 'no answer')
}

/** Unmounts the machine's bpf file systems, because the demo's node mounts its own. */
function leaveBpffs(): void {
  try {
    for (;;) loadSys().umount2('/sys/fs/bpf', MNT_DETACH)
  } catch (error) {
    // EINVAL means that no bpf file system is mounted any more.
    if (!isSysError(error) || error.code !== 'EINVAL') throw error
  }
}
