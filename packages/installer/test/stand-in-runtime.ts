import { once } from 'node:events'
import { createServer, type Socket } from 'node:net'
import { lengthDelimited, numberField, textField } from '@cni/types/protobuf'
import { Server, ServerCredentials, type ServerUnaryCall, type sendUnaryData } from '@grpc/grpc-js'

/** Content of a CRI StatusResponse that the simulated container runtime sends. */
export interface Said {
  readonly conditions?: readonly {
    readonly type: string
    readonly status: boolean
    readonly reason?: string
    readonly message?: string
  }[]
  readonly info?: Readonly<Record<string, string>>
}

/** Encodes a CRI StatusResponse. */
export function statusResponse({ conditions = [], info = {} }: Said): Uint8Array {
  const all = conditions.map(({ type, status, reason = '', message = '' }) =>
    lengthDelimited(
      1,
      Buffer.concat([textField(1, type), numberField(2, Number(status)), textField(3, reason), textField(4, message)]),
    ),
  )
  const entries = Object.entries(info).map(([key, value]) =>
    lengthDelimited(2, Buffer.concat([textField(1, key), textField(2, value)])),
  )
  return Buffer.concat([lengthDelimited(1, Buffer.concat(all)), ...entries])
}

/** Status answer of containerd after it has loaded a list with the given plugins. */
export const containerdWith = (types: readonly string[], more: Readonly<Record<string, string>> = {}): Said => ({
  conditions: [{ type: 'NetworkReady', status: true }],
  info: { cniconfig: cniConfig(types), 'lastCNILoadStatus.default': 'OK', ...more },
})

/** Status answer of containerd after it could not read its CNI network folder. */
export const containerdWithout = (error: string): Said => ({
  conditions: [
    {
      type: 'NetworkReady',
      status: false,
      reason: 'NetworkPluginNotReady',
      message: 'Network plugin returns error: cni plugin not initialized',
    },
  ],
  info: { cniconfig: cniConfig(), lastCNILoadStatus: error, 'lastCNILoadStatus.default': error },
})

function cniConfig(types?: readonly string[]): string {
  const network = (IFName: string, Name: string, plugins: readonly string[]) => ({
    IFName,
    Config: {
      Name,
      Plugins: plugins.map((type) => ({ Network: { type }, Source: JSON.stringify({ type }) })),
      Source: 'the text of the file',
    },
  })
  const loopback = network('lo', 'cni-loopback', ['loopback'])
  const Networks = types === undefined ? [loopback] : [loopback, network('eth0', 'pods', types)]
  return JSON.stringify({
    PluginDirs: ['/opt/cni/bin'],
    PluginConfDir: '/etc/cni/net.d',
    PluginMaxConfNum: 1,
    Networks,
  })
}

/** A gRPC server that stands in for a container runtime. */
export interface StandIn extends AsyncDisposable {
  /** Requests that the server has received: method and bytes. */
  readonly requests: readonly (readonly [method: string, request: Buffer])[]
}

type Answer = (callback: sendUnaryData<Uint8Array>) => void

/** Serves gRPC on a unix socket as a container runtime does. */
export async function standInRuntime(socket: string, answer: Answer): Promise<StandIn> {
  const server = new Server({ 'grpc.max_send_message_length': -1 })
  const requests: [string, Buffer][] = []
  const asIs = (bytes: Uint8Array): Buffer => Buffer.from(bytes)
  const path = '/runtime.v1.RuntimeService/Status'
  const status = {
    path,
    requestStream: false,
    responseStream: false,
    requestSerialize: asIs,
    requestDeserialize: asIs,
    responseSerialize: asIs,
    responseDeserialize: asIs,
  } as const
  const handle = ({ request }: ServerUnaryCall<Buffer, Uint8Array>, callback: sendUnaryData<Uint8Array>): void => {
    requests.push([path, request])
    answer(callback)
  }
  server.addService({ Status: status }, { Status: handle })
  await new Promise<void>((resolve, reject) => {
    server.bindAsync(`unix:${socket}`, ServerCredentials.createInsecure(), (error) =>
      error === null ? resolve() : reject(error),
    )
  })
  return {
    requests,
    [Symbol.asyncDispose]: async () => server.forceShutdown(),
  }
}

/** Creates a socket listener. `open` counts the connections that the client has not closed. */
export async function rawListener(
  path: string,
  talk: (socket: Socket) => void,
): Promise<AsyncDisposable & { open(): number }> {
  const sockets = new Set<Socket>()
  const server = createServer((socket) => {
    sockets.add(socket)
    socket.on('close', () => sockets.delete(socket)).on('error', () => {})
    // Reads from the socket, because Node.js reports the end of a connection only to a reader.
    socket.resume()
    talk(socket)
  })
  server.listen(path)
  await once(server, 'listening')
  return {
    open: () => sockets.size,
    async [Symbol.asyncDispose]() {
      for (const socket of sockets) socket.destroy()
      server.close()
    },
  }
}
