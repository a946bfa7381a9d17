import { mkdirSync } from 'node:fs'
import { release } from 'node:os'
import { connectFrom, spawnZtunnel, type Ztunnel } from '@cni/istio-redirect/testing/node'
import { netns } from '@cni/netns'
import { hideFolder } from '../hide-folder.ts'
import { type Narrator, narrator } from '../narrate.ts'
import type { DemoOptions } from '../options.ts'
import { ownRules, rulesByNetlink } from '../rules.ts'
import { type HeldConnection, holdConnection } from './held-connection.ts'
import { type Look, looksTold } from './looks.ts'
import { ADDRESS, APP_PORT, ECHO_PORT, type MeshNode, POD, startMeshNode } from './mesh-node.ts'

/** Document that the demo prints with `--ambient --json`. Times are in milliseconds. */
interface AmbientFacts {
  readonly as_expected: boolean
  readonly machine: { readonly kernel: string; readonly node: string }
  readonly looks: readonly Look[]
  readonly ms: Readonly<Record<string, number>>
  readonly ztunnel: { readonly heard: readonly string[]; readonly forwarded: readonly object[] }
  readonly api_patches: readonly string[]
}

/** Demo of ambient mode: a pod joins and leaves the mesh with open connections. */
export async function runAmbientStory({ json, folder }: DemoOptions & { readonly folder: string }): Promise<0 | 1> {
  const tell = narrator(json ? process.stderr : process.stdout)
  hideFolder('/run/netns')
  mkdirSync(folder, { recursive: true })
  const looks = looksTold(tell)
  const { look, timed } = looks
  await using node = await startMeshNode(folder)
  setTheStage(tell, node)
  await using stack = new AsyncDisposableStack()
  let ztunnel = stack.use(await spawnZtunnel({ path: node.ztunnelSocket }))
  await timed('ztunnel says hello and is told all pods (there are none)', () => ztunnel.ready)
  const held = stack.use(await holdConnection(node.web, ADDRESS.node, ECHO_PORT))
  const isOpen = async (which: HeldConnection, what: string): Promise<void> =>
    look(`${what} is open`, await which.echoes('hello'), true)
  const isOver = async (which: HeldConnection, what: string): Promise<void> =>
    look(`${what} ends when it is used: its application has to connect again`, await which.ends(), true)

  tell.chapter('Outside the mesh')
  await isOpen(held, 'a connection that web keeps')
  look('web reaches the server directly', await outbound(node), `server from ${ADDRESS.web}`)
  look('ztunnel has seen nothing', ztunnel.forwarded, [])

  tell.chapter('The pod joins: somebody labels it istio.io/dataplane-mode=ambient')
  node.label('ambient')
  await timed('enrolled, which its annotation says', () => node.annotation() === 'enabled')
  await timed('ztunnel listens in the pod', () => ztunnel.pods.has(POD.uid))
  // Conntrack learns of a connection that is older than the rules from the connection's next packet.
  await isOver(held, 'the connection from before')
  look('a new connection of web arrives with its own address', await outbound(node), `server from ${ADDRESS.web}`)
  look('one to web arrives with the address of the client', await inbound(node), `web from ${ADDRESS.client}`)
  await timed('both passed through ztunnel', () => ztunnel.forwarded.length >= 2)
  for (const { direction, from, to } of ztunnel.forwarded) tell.line(`     ${direction.padEnd(8)} ${from} → ${to}`)
  const joined = stack.use(await holdConnection(node.web, ADDRESS.node, ECHO_PORT))
  await isOpen(joined, 'one that web keeps through ztunnel')

  tell.chapter('ztunnel is replaced, as in an upgrade')
  const newer = stack.use(await spawnZtunnel({ path: node.ztunnelSocket }))
  await timed('the new one has all pods', () => newer.ready && newer.pods.has(POD.uid))
  const leaving = endLater(ztunnel)
  look('web is served all the while', await outbound(node), `server from ${ADDRESS.web}`)
  ztunnel = newer
  look('the old one has ended by itself, with what was open', await leaving, 0)
  await isOver(joined, 'the connection through the old one')

  tell.chapter('The pod leaves: the label is removed, a connection through ztunnel is open')
  const inMesh = stack.use(await holdConnection(node.web, ADDRESS.node, ECHO_PORT))
  await isOpen(inMesh, 'one that web keeps through the new ztunnel')
  node.label(undefined)
  await timed('un-enrolled, and its annotation is gone', () => node.annotation() === undefined)
  await timed('ztunnel listens in no pod', () => ztunnel.pods.size === 0)
  await isOver(inMesh, 'the connection through ztunnel')
  const before = ztunnel.forwarded.length
  look('a new connection is direct again', await outbound(node), `server from ${ADDRESS.web}`)
  look('ztunnel has not seen it', ztunnel.forwarded.length, before)
  const rules = await ownRules(rulesByNetlink(node.web))
  look('no rule is left in the pod', [...rules.ipv4, ...rules.ipv6], [])

  const facts: AmbientFacts = {
    as_expected: looks.end(),
    machine: { kernel: release(), node: process.version },
    looks: looks.all,
    ms: looks.ms,
    ztunnel: { heard: ztunnel.heard, forwarded: ztunnel.forwarded },
    api_patches: node.api.requests.filter(({ method }) => method === 'PATCH').map(({ body }) => body),
  }
  if (json) process.stdout.write(`${JSON.stringify(facts, null, 2)}\n`)
  return facts.as_expected ? 0 : 1
}

function setTheStage(tell: Narrator, { web, client }: MeshNode): void {
  using here = netns.current()
  tell.chapter('A throw-away node on this machine')
  tell.line(`   node      net:[${here.ino}], a network and mount namespace of its own, ${ADDRESS.node}; a server in it`)
  tell.line(
    `   pod web   net:[${web.ino}], ${ADDRESS.web}; an application in it, and a connection to the server, held open`,
  )
  tell.line(`   client    net:[${client.ino}], ${ADDRESS.client}, a pod that never joins`)
  tell.line('   agent     the ambient part of install-cni, watching an API server over TLS')
  tell.line('   ztunnel   a stand-in that speaks ZDS and passes connections on; each is a process of its own')
}

async function outbound({ web }: MeshNode): Promise<string> {
  const [connection] = await connectFrom(web, 1000, [{ host: ADDRESS.node, port: APP_PORT }])
  return answerText(connection)
}

async function inbound({ client }: MeshNode): Promise<string> {
  const [connection] = await connectFrom(client, 1000, [{ host: ADDRESS.web, port: APP_PORT }])
  return answerText(connection)
}

function answerText(connection: Awaited<ReturnType<typeof connectFrom>>[number] | undefined): string {
  const { answer, error } = connection ?? {}
  return answer ? `${answer.served_by} from ${answer.from?.replace('::ffff:', '')}` : (error ?? 'no answer')
}

/** Stops a ztunnel of the demo and returns its exit code. */
const endLater = (ztunnel: Ztunnel): Promise<number> => ztunnel.stop()
