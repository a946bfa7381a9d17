import { connect, type Socket } from 'node:net'
import { VERSION } from '@cni/host/cli'
import { readAnswer } from '../src/serve/answer.ts'
import { frameReader } from '../src/serve/frame.ts'
import { ACCEPTED, MAX_ANSWER, type NamespaceFacts, type ServeAnswer } from '../src/serve/protocol.ts'
import { encodeFacts, encodeRequest, serveRequest } from '../src/serve/request.ts'

/** One connection to the agent's serving socket. */
export interface CallClient {
  readonly socket: Socket
  readonly accepted: Promise<void>
  /** The first answer; rejects when the connection is closed before. */
  readonly answer: Promise<ServeAnswer | undefined>
  /** Settles when the connection is closed. */
  readonly end: Promise<void>
  readonly received: readonly Buffer[]
}

/** Connects, and sends these bytes. */
export function callAgent(path: string, bytes?: Uint8Array): CallClient {
  const socket = connect(path)
  const received: Buffer[] = []
  const reader = frameReader(MAX_ANSWER)
  const end = new Promise<void>((resolve) => socket.once('close', () => resolve()))
  const accepted = new Promise<void>((resolve, reject) => {
    socket.once('data', ([first]: Buffer) => {
      if (first === ACCEPTED) resolve()
      else reject(new Error(`not accepted: ${first}`))
    })
    socket.once('close', () => reject(new Error('closed')))
  })
  const answer = new Promise<ServeAnswer | undefined>((resolve, reject) => {
    socket.on('data', (piece: Buffer) => {
      received.push(piece)
      const frame = reader.push(received.length === 1 ? piece.subarray(1) : piece)
      if (frame !== undefined) resolve(readAnswer(frame))
    })
    socket.once('close', () => reject(new Error('closed')))
  })
  // Not every test waits for both.
  accepted.catch(() => {})
  answer.catch(() => {})
  socket.on('error', () => {})
  if (bytes !== undefined) socket.write(bytes)
  return { socket, accepted, answer, end, received }
}

/** What the plugin asks when this pod, of the namespace `demo`, is added. */
export function askedPod(
  name: string,
  { uid, version = VERSION, conf = {} }: { uid?: string; version?: string; conf?: object } = {},
): Buffer {
  const facts: NamespaceFacts = {
    netns: { dev: 4, ino: 4026532 },
    backend: 'nft',
    fresh: true,
    generation: 1,
    inet6: '',
  }
  const args = [`K8S_POD_NAMESPACE=demo`, `K8S_POD_NAME=${name}`, ...(uid === undefined ? [] : [`K8S_POD_UID=${uid}`])]
  const env = {
    ...{ CNI_COMMAND: 'ADD', CNI_CONTAINERID: 'x', CNI_IFNAME: 'eth0', CNI_PATH: '/opt/cni/bin' },
    ...{ CNI_ARGS: args.join(';'), CNI_NETNS: '/run/netns/x' },
  }
  const prevResult = { cniVersion: '1.0.0', ips: [{ address: '10.1.2.3/24' }] }
  const stdin = JSON.stringify({ cniVersion: '1.0.0', name: 'pods', type: 'istio-cni', prevResult, ...conf })
  const request = encodeRequest(serveRequest(env, { version, stdin: Buffer.from(stdin) }))
  return Buffer.concat([request, encodeFacts(facts)])
}
